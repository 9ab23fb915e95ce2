package config

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// variableRules says which variables, written ${…}, a client replaces in an entry. Others
// are kept as written.
type variableRules struct {
	// env is ${env:NAME}.
	env bool
	// emptyEnv makes ${env:NAME} empty if NAME is not set, as in VS Code.
	emptyEnv bool
	// bare is ${NAME} and ${NAME:-default}, the default also for an empty value.
	bare bool
	// workspace is ${workspaceFolder}, ${workspaceFolder:name},
	// ${workspaceFolderBasename}, ${pathSeparator} and ${/}.
	workspace bool
	// rooWorkspace is ${workspaceFolder} alone.
	rooWorkspace bool
	// home is ${userHome}.
	home bool
	// input is ${input:id}.
	input bool
	// slashes replaces backslashes in a value by slashes, as Roo Code does, so that
	// Windows paths survive its JSON.
	slashes bool
	// braces is opencode's syntax for variables: {env:NAME}, and {file:path}, which is
	// not replaced.
	braces bool
}

// pattern matches the variables in a text.
func (r variableRules) pattern() *regexp.Regexp {
	if r.braces {
		return bracesPattern
	}
	return variablePattern
}

// Folder is a workspace folder.
type Folder struct {
	Name string
	// Path is absolute.
	Path string
}

// Lookup is the source of variables' values. A nil function finds nothing.
type Lookup struct {
	// Env looks up an environment variable of the host.
	Env func(name string) (string, bool)
	// Folders are the workspace folders in their order.
	Folders []Folder
	// Home is the user's home folder.
	Home string
	// Input looks up the user's value for ${input:id}. An input without a value stays in
	// the text, and its ID is in [Expanded.Inputs].
	Input func(id string) (string, bool)
	// ReadFile reads an envFile.
	ReadFile func(path string) ([]byte, error)
	// Program finds the program of a command, from the server's working directory and
	// with the environment of its entry.
	Program func(command, dir string, env map[string]string) (path string, err error)
}

var (
	variablePattern = regexp.MustCompile(`\$\{([^{}]*)\}`)
	bracesPattern   = regexp.MustCompile(`\{((?:env|file):[^{}]*)\}`)
	envNamePattern  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	// rooEnvPattern matches the names of variables in Roo Code.
	rooEnvPattern = regexp.MustCompile(`^\w+$`)
	// harmlessPattern matches text that a message may quote: too short and plain to be a
	// secret pasted between the braces.
	harmlessPattern = regexp.MustCompile(`^[A-Za-z0-9_.:/]{1,40}$`)
)

// resolution is the outcome for one variable.
type resolution int

const (
	resolved resolution = iota
	unset               // a variable of the client without a value
	unknown             // not a variable of the client
	asked               // an input
)

// resolver resolves the variables of one server.
type resolver struct {
	rules  variableRules
	lookup Lookup
	folder string // the entry's workspace folder
}

// resolve returns the value of the text between the braces.
func (r resolver) resolve(expression string) (string, resolution) {
	prefix, rest, colon := strings.Cut(expression, ":")
	switch {
	case prefix == "env" && colon && r.rules.env:
		return r.environment(rest)
	case prefix == "input" && colon && r.rules.input:
		return r.input(rest)
	case prefix == "workspaceFolder" && (r.rules.workspace || r.rules.rooWorkspace && !colon):
		return r.workspaceFolder(rest, colon)
	}
	if value, result := r.plain(expression); result != unknown {
		return value, result
	}
	if r.rules.bare {
		return r.bare(expression)
	}
	return "", unknown
}

func (r resolver) environment(name string) (string, resolution) {
	if r.rules.slashes && !rooEnvPattern.MatchString(name) {
		return "", unknown
	}
	value, ok := r.env(name)
	if !ok {
		// VS Code's empty text is a value too, but the user should know.
		return "", unset
	}
	return r.path(value), resolved
}

func (r resolver) input(id string) (string, resolution) {
	if r.lookup.Input != nil {
		if value, ok := r.lookup.Input(id); ok {
			return value, resolved
		}
	}
	return "", asked
}

func (r resolver) workspaceFolder(name string, named bool) (string, resolution) {
	if !named {
		return r.path(r.folder), found(r.folder != "")
	}
	for _, f := range r.lookup.Folders {
		if f.Name == name {
			return f.Path, resolved
		}
	}
	return "", unset
}

// plain resolves variables without arguments.
func (r resolver) plain(name string) (string, resolution) {
	switch {
	case name == "userHome" && r.rules.home:
		return r.lookup.Home, found(r.lookup.Home != "")
	case name == "workspaceFolderBasename" && r.rules.workspace:
		return filepath.Base(r.folder), found(r.folder != "")
	case (name == "pathSeparator" || name == "/") && r.rules.workspace:
		return string(filepath.Separator), resolved
	}
	return "", unknown
}

// bare resolves NAME and NAME:-default.
func (r resolver) bare(expression string) (string, resolution) {
	name, fallback, hasDefault := strings.Cut(expression, ":-")
	if !envNamePattern.MatchString(name) {
		return "", unknown
	}
	value, ok := r.env(name)
	switch {
	case hasDefault && value == "":
		return fallback, resolved
	case !ok:
		return "", unset
	}
	return value, resolved
}

func (r resolver) env(name string) (string, bool) {
	if r.lookup.Env == nil {
		return "", false
	}
	return r.lookup.Env(name)
}

// path replaces backslashes if the client does, except in Windows' extended-length paths,
// which allow no slashes.
func (r resolver) path(value string) string {
	if !r.rules.slashes || strings.HasPrefix(value, `\\?\`) {
		return value
	}
	return strings.ReplaceAll(value, `\`, "/")
}

func found(ok bool) resolution {
	if ok {
		return resolved
	}
	return unset
}

// named names a variable for a message, without quoting a secret.
func (r variableRules) named(expression string) string {
	name, _, _ := strings.Cut(expression, ":-")
	switch {
	case !harmlessPattern.MatchString(name):
		return "a variable"
	case r.braces:
		return fmt.Sprintf("{%s}", name)
	default:
		return fmt.Sprintf("${%s}", name)
	}
}
