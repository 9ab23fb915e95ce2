package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/secrets"
	"github.com/winnow-mcp/winnow/protocol"
)

// Start is what a server starts or connects to, and what the user consents to. The
// program, the content of an envFile and the working directory of a workspace's entry are
// as found now. All else is as written, so that an input or a secret of the environment
// counts by its name.
type Start struct {
	// Hash identifies it, in hexadecimal.
	Hash string
	// Parts holds its parts, in a fixed order.
	Parts []Part
	// Earlier is the hash by which earlier versions stored it in this folder; "" if it is
	// the same.
	Earlier string
}

// Part is one part of a [Start], as displayed and compared.
type Part struct {
	// Key is the key in the entry: "command", "args", "env.NAME".
	Key string `json:"key"`
	// Text is the displayed value; secrets are hidden.
	Text string `json:"text"`
	// Sum distinguishes values, even hidden ones.
	Sum string `json:"sum"`
}

// PartChange is a difference between two starts.
type PartChange struct {
	Key string
	// Before and After are the displayed values; "" if absent.
	Before, After string
}

// StartOf returns the start of an entry that defines a server.
func StartOf(e Entry, lookup Lookup) Start {
	written := e.Definition
	found := Expand(Server{Name: e.Name, Origin: e.Origin, Definition: written}, lookup).Definition
	start := startIn(e, lookup, found, found.Cwd, found.Sandbox)
	if e.Origin.Source.Scope != User || runsOfFolder(written) {
		return start
	}
	// A user's file needs consent once for all folders, even if it runs in the workspace
	// folder.
	everywhere := startIn(e, lookup, found, written.Cwd, written.Sandbox)
	if everywhere.Hash != start.Hash {
		everywhere.Earlier = start.Hash
	}
	return everywhere
}

// scripts holds the extensions of interpreters' files.
var scripts = []string{".js", ".mjs", ".cjs", ".ts", ".mts", ".py", ".rb", ".php", ".sh", ".ps1", ".jar", ".lua", ".pl"}

// runsOfFolder reports whether a definition names a program in its working directory: a
// path that begins with a dot, a script without an absolute path, or a Python module,
// which is searched there first. Another folder has another program, so consent for one
// does not apply to the other. It errs towards asking.
func runsOfFolder(written Definition) bool {
	if written.Transport != Stdio || filepath.IsAbs(written.Cwd) {
		return false
	}
	return slices.ContainsFunc(append([]string{written.Command}, written.Args...), func(word string) bool {
		if option, value, found := strings.Cut(word, "="); found && strings.HasPrefix(option, "-") {
			word = value
		}
		if strings.Contains(word, "${workspaceFolder") {
			return slices.Contains(scripts, strings.ToLower(filepath.Ext(word)))
		}
		path := strings.ReplaceAll(word, `\`, "/")
		switch {
		case filepath.IsAbs(word), strings.HasPrefix(path, "~"), strings.HasPrefix(path, "${"), strings.Contains(path, "://"):
			return false
		case word == "-m", strings.HasPrefix(path, "./"), strings.HasPrefix(path, "../"):
			return true
		}
		return slices.Contains(scripts, strings.ToLower(filepath.Ext(word)))
	})
}

// startIn is StartOf with the working directory and sandbox to display and compare.
func startIn(e Entry, lookup Lookup, found Definition, cwd string, sandbox *protocol.SandboxEntry) Start {
	written := e.Definition
	b := startBuilder{}
	b.add("type", string(written.Transport), string(written.Transport))
	if written.Transport == Stdio {
		program, _ := Program(found, lookup)
		b.add("command", program, "")
		if len(written.Args) > 0 {
			b.add("args", words(secrets.ShowArguments(written.Args)), encoded(written.Args))
		}
		b.add("cwd", cwd, "")
		b.values("env", written.Env, secrets.IsName)
		for _, name := range written.UnsetEnv {
			b.add("env."+name, "(taken away)", "")
		}
		b.envFile(e, lookup)
		b.sandbox(sandbox)
	} else {
		b.add("url", secrets.ShowURL(written.URL), written.URL)
		b.values("headers", written.Headers, func(name string) bool { return !secrets.HarmlessHeader(name) })
		b.oauth(written.OAuth)
	}
	b.add("share", string(written.Share), "")
	return b.start()
}

// Program returns the path of the program that an expanded definition starts, or the
// command itself if it is not found.
func Program(expanded Definition, lookup Lookup) (command string, found bool) {
	if lookup.Program == nil || expanded.Command == "" {
		return expanded.Command, true
	}
	path, err := lookup.Program(expanded.Command, expanded.Cwd, expanded.Env)
	if err != nil {
		return expanded.Command, false
	}
	return path, true
}

// startBuilder collects the parts of a start.
type startBuilder struct {
	parts []Part
	// pairs holds the keys and values to hash.
	pairs [][2]string
}

// add adds a part, unless value is empty; if text is "", value is displayed.
func (b *startBuilder) add(key, text, value string) {
	if value == "" {
		value = text
	}
	if value == "" {
		return
	}
	b.parts = append(b.parts, Part{Key: key, Text: text, Sum: sum(value)})
	b.pairs = append(b.pairs, [2]string{key, value})
}

// values adds a map, in the order of its keys.
func (b *startBuilder) values(key string, values map[string]string, secret func(name string) bool) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		b.add(key+"."+name, strconv.Quote(secrets.Show(secret(name), values[name])), strconv.Quote(values[name]))
	}
}

// envFile adds the path of an envFile and its content.
func (b *startBuilder) envFile(e Entry, lookup Lookup) {
	if e.Definition.EnvFile == "" {
		return
	}
	expand := expanderOf(Server{Name: e.Name, Origin: e.Origin, Definition: e.Definition}, lookup)
	path := expand.inFolder(expand.text("envFile", e.Definition.EnvFile))
	b.add("envFile", path, "")
	if lookup.ReadFile == nil {
		return
	}
	data, err := lookup.ReadFile(path)
	if err != nil {
		b.add("content of envFile", "(cannot be read)", "")
		return
	}
	b.add("content of envFile", fmt.Sprintf("%d bytes", len(data)), "content "+string(data))
}

// sandbox adds a program's sandbox.
func (b *startBuilder) sandbox(may *protocol.SandboxEntry) {
	if may != nil {
		b.add("sandbox", encoded(may), "")
	}
}

// oauth adds each field of a manual registration.
func (b *startBuilder) oauth(o protocol.OAuthEntry) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(encoded(o)), &members); err != nil {
		panic("config: decode what was encoded: " + err.Error())
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		value := string(members[name])
		b.add("oauth."+name, secrets.Show(secrets.IsName(name) && !strings.HasSuffix(name, "Url"), value), value)
	}
}

func (b *startBuilder) start() Start {
	return Start{Hash: sum(encoded(b.pairs)), Parts: b.parts}
}

// sum returns the hash of a value.
func sum(value string) string {
	digest := sha256.Sum256([]byte(value))
	return hex.EncodeToString(digest[:])
}

// encoded encodes values unambiguously. It must only be used with types that always
// encode.
func encoded(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic("config: encode what starts: " + err.Error())
	}
	return string(text)
}

// words joins arguments as a shell would show them.
func words(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = arg
		if arg == "" || strings.ContainsAny(arg, " \t\n\"'\\") {
			quoted[i] = strconv.Quote(arg)
		}
	}
	return strings.Join(quoted, " ")
}

// Line returns it on one line: a command line, or an address.
func (s Start) Line() string {
	var line []string
	for _, p := range s.Parts {
		switch p.Key {
		case "command", "args", "url":
			line = append(line, p.Text)
		}
	}
	return strings.Join(line, " ")
}

// ChangesSince returns the parts that differ from an earlier start, in the order of s,
// then the removed ones.
func (s Start) ChangesSince(before []Part) []PartChange {
	was := make(map[string]Part, len(before))
	for _, p := range before {
		was[p.Key] = p
	}
	var changes []PartChange
	for _, p := range s.Parts {
		old, known := was[p.Key]
		delete(was, p.Key)
		if !known || old.Sum != p.Sum {
			changes = append(changes, PartChange{Key: p.Key, Before: old.Text, After: p.Text})
		}
	}
	for _, p := range before {
		if _, gone := was[p.Key]; gone {
			changes = append(changes, PartChange{Key: p.Key, Before: p.Text})
		}
	}
	return changes
}
