package config

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// startLookup finds node in /bin and the variables that it is given.
func startLookup(env, files map[string]string) Lookup {
	return Lookup{
		Env:     func(name string) (string, bool) { v, ok := env[name]; return v, ok },
		Folders: []Folder{{Name: "ws", Path: "/ws"}}, Home: "/home",
		ReadFile: func(path string) ([]byte, error) {
			text, ok := files[path]
			if !ok {
				return nil, errors.New("no such file")
			}
			return []byte(text), nil
		},
		Program: func(command, _ string, env map[string]string) (string, error) {
			if strings.Contains(command, "/") {
				return command, nil
			}
			if dir := env["PATH"]; dir != "" {
				return dir + "/" + command, nil
			}
			return "/bin/" + command, nil
		},
	}
}

func startEntry() Entry {
	source := Source{Path: "/ws/.vscode/winnow.json", Dialect: Winnow, Scope: Workspace, Folder: "/ws"}
	return Entry{Name: "s", Origin: Origin{source, 1, 1}, Definition: Definition{
		Transport: Stdio, Command: "node", Args: []string{"server.js", "--token", "${input:token}"},
		Env: map[string]string{"LEVEL": "info", "API_KEY": "literal-secret"}, EnvFile: ".env",
	}}
}

// TestStartOf_ofTheFolder: what a user's file starts is the same in each folder,
// unless it names a program that each folder has of its own.
func TestStartOf_ofTheFolder(t *testing.T) {
	t.Parallel()
	for line, same := range map[string]bool{
		"npx -y @modelcontextprotocol/server-filesystem ${workspaceFolder}": true,
		"node /opt/server.js":                    true,
		"node ${userHome}/server.js":             true,
		"docker run ghcr.io/a/b":                 true,
		"npx -y mcp-remote https://a.test/x.php": true,
		"node server.js":                         false,
		"node --import=./hook server":            false,
		`node ..\server`:                         false,
		"node ${workspaceFolder}/server.js":      false,
		"python -m server":                       false,
	} {
		words := strings.Fields(line)
		in := func(folder string) string {
			e, _ := consentEntry("/home/.cursor/mcp.json", "s", words[0])
			e.Origin.Source.Scope = User
			e.Definition.Args = words[1:]
			return StartOf(e, Lookup{Folders: []Folder{{Path: folder}}}).Hash
		}
		if got := in("/a") == in("/b"); got != same {
			t.Errorf("%s is the same in two folders: %t, want %t", line, got, same)
		}
	}
}

// TestStartOf_Hash: whatever decides what starts is in the hash, and what does
// not is not.
func TestStartOf_Hash(t *testing.T) {
	t.Parallel()
	files := map[string]string{"/ws/.env": "A=1"}
	env := map[string]string{"HOME": "/h"}
	base := StartOf(startEntry(), startLookup(env, files))
	with := func(change func(d *Definition)) Start {
		e := startEntry()
		e.Definition.Env = map[string]string{"LEVEL": "info", "API_KEY": "literal-secret"}
		change(&e.Definition)
		return StartOf(e, startLookup(env, files))
	}
	for _, tt := range []struct {
		name  string
		other Start
		key   string
	}{
		{"command", with(func(d *Definition) { d.Command = "deno" }), "command"},
		{"path", with(func(d *Definition) { d.Env["PATH"] = "/ws/bin" }), "command"},
		{"args", with(func(d *Definition) { d.Args = append(slices.Clone(d.Args), "--inspect") }), "args"},
		{"split args", with(func(d *Definition) { d.Args = []string{"server.js --token", "${input:token}"} }), "args"},
		{"secret arg", with(func(d *Definition) { d.Args = []string{"server.js", "--token", "other"} }), "args"},
		{"cwd", with(func(d *Definition) { d.Cwd = "sub" }), "cwd"},
		{"env", with(func(d *Definition) { d.Env["LEVEL"] = "debug" }), "env.LEVEL"},
		{"secret env", with(func(d *Definition) { d.Env["API_KEY"] = "another-secret" }), "env.API_KEY"},
		{"new env", with(func(d *Definition) { d.Env["NODE_OPTIONS"] = "--require x" }), "env.NODE_OPTIONS"},
		{"env gone", with(func(d *Definition) { delete(d.Env, "LEVEL") }), "env.LEVEL"},
		{"unset env", with(func(d *Definition) { d.UnsetEnv = []string{"HOME"} }), "env.HOME"},
		{"envFile", with(func(d *Definition) { d.EnvFile = "other.env" }), "envFile"},
		{"sandbox", with(func(d *Definition) { d.Sandbox = &protocol.SandboxEntry{} }), "sandbox"},
		{"write root", with(func(d *Definition) { d.Sandbox = &protocol.SandboxEntry{Write: []string{"/ws"}} }), "sandbox"},
		{"content of envFile", StartOf(startEntry(), startLookup(env, map[string]string{"/ws/.env": "A=2"})), "content of envFile"},
		{"envFile gone", StartOf(startEntry(), startLookup(env, nil)), "content of envFile"},
		{"transport", with(func(d *Definition) { d.Transport, d.URL = HTTP, "https://host" }), "url"},
	} {
		if tt.other.Hash == base.Hash {
			t.Errorf("%s: the hash is the same", tt.name)
		}
		changes := tt.other.ChangesSince(base.Parts)
		if !slices.ContainsFunc(changes, func(c PartChange) bool { return c.Key == tt.key }) {
			t.Errorf("%s: the changes are %+v, want one of %s", tt.name, changes, tt.key)
		}
		for _, c := range changes {
			if strings.Contains(c.Before+c.After, "-secret") {
				t.Errorf("%s: a secret is shown: %+v", tt.name, c)
			}
		}
	}
	for name, same := range map[string]Start{
		"again":                  StartOf(startEntry(), startLookup(env, files)),
		"a variable's new value": StartOf(startEntry(), startLookup(map[string]string{"HOME": "/other", "X": "y"}, files)),
	} {
		if same.Hash != base.Hash || len(same.ChangesSince(base.Parts)) != 0 {
			t.Errorf("%s: the hash is another, %+v", name, same.ChangesSince(base.Parts))
		}
	}
}

func TestStartOf_Remote(t *testing.T) {
	t.Parallel()
	e := startEntry()
	e.Definition = Definition{Transport: HTTP, URL: "https://host/mcp?key=abc", Headers: map[string]string{"Authorization": "Bearer abc", "Accept": "x"}}
	base := StartOf(e, Lookup{})
	if got, want := base.Line(), "https://host/mcp?key=(hidden)"; got != want {
		t.Errorf("shown as %s, want %s", got, want)
	}
	for _, change := range []func(d *Definition){
		func(d *Definition) { d.URL = "https://host/mcp?key=abd" },
		func(d *Definition) { d.Headers = map[string]string{"Authorization": "Bearer abd", "Accept": "x"} },
		func(d *Definition) { d.OAuth.AuthServerMetadataURL = "https://evil" },
		func(d *Definition) { d.OAuth.Scopes = []string{"all"} },
		func(d *Definition) { d.OAuth.CallbackPort = 1 },
		func(d *Definition) { d.Transport = SSE },
	} {
		other := e
		change(&other.Definition)
		now := StartOf(other, Lookup{})
		if now.Hash == base.Hash || len(now.ChangesSince(base.Parts)) != 1 {
			t.Errorf("%+v: the same hash, or changes %+v", other.Definition, now.ChangesSince(base.Parts))
		}
	}
}

func TestStart_Line(t *testing.T) {
	t.Parallel()
	got, want := StartOf(startEntry(), startLookup(nil, nil)).Line(), "/bin/node server.js --token ${input:token}"
	if got != want {
		t.Errorf("shown as %s, want %s", got, want)
	}
}

// TestStartOf_everyField: a field that is added to a definition has to be part
// of what is consented to.
func TestStartOf_everyField(t *testing.T) {
	t.Parallel()
	for _, transport := range []Transport{Stdio, HTTP} {
		ignored := map[Transport][]string{Stdio: {"URL", "Headers", "OAuth"}, HTTP: {"Command", "Args", "Cwd", "Env", "UnsetEnv", "EnvFile", "Sandbox"}}[transport]
		base := Entry{Definition: Definition{Transport: transport}}
		for field := range reflect.TypeFor[Definition]().Fields() {
			if field.Name == "Transport" || slices.Contains(ignored, field.Name) {
				continue
			}
			for member := range max(1, numField(field.Type)) {
				e := base
				v := reflect.ValueOf(&e.Definition).Elem().FieldByName(field.Name)
				if numField(field.Type) > 0 {
					v = v.Field(member)
				}
				fill(t, v)
				if StartOf(e, Lookup{}).Hash == StartOf(base, Lookup{}).Hash {
					t.Errorf("%s: %s (%d) is not in the hash", transport, field.Name, member)
				}
			}
		}
	}
}

func numField(t reflect.Type) int {
	if t.Kind() != reflect.Struct {
		return 0
	}
	return t.NumField()
}

// fill sets a value to something that is not zero.
func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Int:
		v.SetInt(7)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("k"), reflect.ValueOf("x"))
	default:
		t.Fatalf("do not know how to fill a %s", v.Type())
	}
}
