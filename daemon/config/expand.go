package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/plainwords"
)

// Expanded is a server's definition as it is started.
type Expanded struct {
	// Definition has its variables replaced, EnvFile read into Env, and Cwd
	// absolute.
	Definition Definition
	// Inputs holds the IDs of the unresolved ${input:id} in the definition, in the order
	// of first use.
	Inputs []string
	// Unset holds the environment variables in the definition without a value, in the
	// order of first use.
	Unset []string
	// Problems reports variables without a value and an unusable envFile.
	Problems []Problem
}

// Expand replaces the variables of a server's definition by the rules of its file. It
// does not modify s.
func Expand(s Server, lookup Lookup) Expanded {
	e := expanderOf(s, lookup)
	d := e.definition(s.Definition)
	d.Cwd = e.cwd(d.Cwd)
	if d.EnvFile != "" {
		d.Env = e.withEnvFile(d)
		d.EnvFile = ""
	}
	return Expanded{Definition: d, Inputs: e.inputs, Unset: e.unset, Problems: e.problems}
}

// folderOf returns the workspace folder of an entry: its own, or the first one for a
// user's file.
func folderOf(s Server, folders []Folder) string {
	if s.Origin.Source.Folder != "" || len(folders) == 0 {
		return s.Origin.Source.Folder
	}
	return folders[0].Path
}

// expander expands one server.
type expander struct {
	resolver
	server   Server
	inputs   []string
	unset    []string
	problems []Problem
}

func expanderOf(s Server, lookup Lookup) *expander {
	return &expander{server: s, resolver: resolver{
		rules:  s.Origin.Source.Dialect.traits().variables,
		lookup: lookup,
		folder: folderOf(s, lookup.Folders),
	}}
}

// definition returns a copy with all variables expanded.
func (e *expander) definition(d Definition) Definition {
	d.Command = e.text("command", d.Command)
	d.Args = e.list("args", d.Args)
	d.Cwd = e.text("cwd", d.Cwd)
	d.Env = e.values("env", d.Env)
	d.EnvFile = e.text("envFile", d.EnvFile)
	d.URL = e.text("url", d.URL)
	d.Headers = e.values("headers", d.Headers)
	d.Sandbox = e.sandbox(d.Sandbox)
	d.OAuth.ClientID = e.text("oauth", d.OAuth.ClientID)
	d.OAuth.ClientSecret = e.text("oauth", d.OAuth.ClientSecret)
	d.OAuth.AuthServerMetadataURL = e.text("oauth", d.OAuth.AuthServerMetadataURL)
	d.OAuth.ClientMetadataURL = e.text("oauth", d.OAuth.ClientMetadataURL)
	return d
}

func (e *expander) list(key string, list []string) []string {
	list = slices.Clone(list)
	for i := range list {
		list[i] = e.text(key, list[i])
	}
	return list
}

// values expands a map in the order of its keys, so that problems are ordered.
func (e *expander) values(key string, values map[string]string) map[string]string {
	values = maps.Clone(values)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		values[name] = e.text(key+"."+name, values[name])
	}
	return values
}

// text expands one string. Inserted values are not expanded again.
func (e *expander) text(key, text string) string {
	return e.rules.pattern().ReplaceAllStringFunc(text, func(written string) string {
		expression := strings.TrimPrefix(written, "$")
		expression = expression[len("{") : len(expression)-len("}")]
		value, result := e.resolve(expression)
		switch result {
		case resolved:
			return value
		case asked:
			e.ask(strings.TrimPrefix(expression, "input:"))
			return written
		case unset:
			e.reportUnset(key, expression)
			if e.rules.emptyEnv && strings.HasPrefix(expression, "env:") {
				return ""
			}
			return written
		default:
			e.report(key, e.rules.named(expression)+" is not replaced", fmt.Sprintf("%s has no such variable here", e.client()))
			return written
		}
	})
}

func (e *expander) client() string { return e.server.Origin.Source.Dialect.traits().client }

// reportUnset reports a variable without a value. The message for an environment variable
// begins with its name, which a person has to look for.
func (e *expander) reportUnset(key, expression string) {
	message := e.rules.named(expression) + " has no value"
	name, _, _ := strings.Cut(strings.TrimPrefix(expression, "env:"), ":-")
	if !envNamePattern.MatchString(name) || !harmlessPattern.MatchString(name) || e.unsetHint(expression) != setVariable {
		e.report(key, message, e.unsetHint(expression))
		return
	}
	if !slices.Contains(e.unset, name) {
		e.unset = append(e.unset, name)
	}
	e.reportText(fmt.Sprintf("%s: in %q of server %q %s", plainwords.Missing(name), key, e.server.Name, message), e.unsetHint(expression))
}

// unsetHint says how to set a variable.
func (e *expander) unsetHint(expression string) string {
	switch prefix, _, _ := strings.Cut(expression, ":"); prefix {
	case "workspaceFolder", "workspaceFolderBasename":
		return "open a folder; a named one must be in the workspace"
	case "userHome":
		return "the home folder is not known"
	default:
		return setVariable
	}
}

// setVariable says how to set an environment variable.
const setVariable = "set it in the environment that the editor is started from, then restart the editor"

// ask records a needed input.
func (e *expander) ask(id string) {
	if !slices.Contains(e.inputs, id) {
		e.inputs = append(e.inputs, id)
	}
}

// report records a problem of a key. It quotes keys, never values.
func (e *expander) report(key, message, hint string) {
	e.reportText(fmt.Sprintf("%q of server %q: %s", key, e.server.Name, message), hint)
}

func (e *expander) reportText(message, hint string) {
	origin := e.server.Origin
	p := Problem{
		Path: origin.Source.Path, Line: origin.Line, Column: origin.Column, Severity: Warning,
		Server: e.server.Name, Message: message, Hint: hint,
	}
	if !slices.Contains(e.problems, p) {
		e.problems = append(e.problems, p)
	}
}

// cwd makes the working directory of a local server absolute.
func (e *expander) cwd(cwd string) string {
	switch {
	case e.server.Definition.Transport != Stdio || e.folder == "" || filepath.IsAbs(cwd):
		return cwd
	case startsAt(e.rules.pattern(), cwd):
		return cwd // its base is not known
	}
	return filepath.Join(e.folder, cwd)
}

// startsAt reports whether a text starts with a match.
func startsAt(pattern *regexp.Regexp, text string) bool {
	at := pattern.FindStringIndex(text)
	return at != nil && at[0] == 0
}

// withEnvFile returns the variables of the envFile, overridden by those of env.
func (e *expander) withEnvFile(d Definition) map[string]string {
	if e.lookup.ReadFile == nil {
		return d.Env
	}
	data, err := e.lookup.ReadFile(e.inFolder(d.EnvFile))
	if err != nil {
		e.report("envFile", "the file cannot be read: "+causeOf(err), "create it, or remove envFile")
		return d.Env
	}
	env, badLines := parseEnvFile(data)
	for _, line := range badLines {
		e.report("envFile", fmt.Sprintf("line %d is not NAME=value", line), "correct it, or start it with # for a comment")
	}
	maps.Copy(env, d.Env)
	for _, name := range d.UnsetEnv {
		delete(env, name)
	}
	return env
}

// inFolder makes a path absolute, relative to the workspace folder.
func (e *expander) inFolder(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(e.folder, path)
}

// causeOf removes the path from a file error, because it may contain the value of a
// variable.
func causeOf(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err.Error()
	}
	return err.Error()
}
