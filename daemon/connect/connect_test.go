package connect_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/winnow-mcp/winnow/daemon/connect"
)

const program = `/opt/it's "here"/winnowd`

// connector returns one for a user and a workspace that have nothing yet.
func connector(t *testing.T) *connect.Connector {
	t.Helper()
	dir := t.TempDir()
	return &connect.Connector{
		Places: connect.Places{
			Home: filepath.Join(dir, "home"), Config: filepath.Join(dir, "config"), Workspace: filepath.Join(dir, "workspace"),
			Environ: func(string) (string, bool) { return "", false },
		},
		Program: program, Dir: filepath.Join(dir, "config", "winnow", "connections"),
	}
}

func find(t *testing.T, id string) *connect.Client {
	t.Helper()
	c, ok := connect.Find(id)
	if !ok {
		t.Fatalf("there is no client %q", id)
	}
	return &c
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func textOf(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Each client's each file: made with an entry that starts the program, told
// from then on, the same a second time, and gone after an undo.
func TestConnect_everyClient(t *testing.T) {
	t.Parallel()
	for _, client := range connect.Clients() {
		files := client.Files(connector(t).Places)
		for scope := range files {
			t.Run(client.ID+" "+string(scope), func(t *testing.T) {
				t.Parallel()
				c := connector(t)
				r, err := c.Connect(&client, scope)
				if err != nil {
					t.Fatal(err)
				}
				if !r.Changed || r.Next == "" || !c.Connected(&client, scope) {
					t.Errorf("got %+v, connected %t; want a change, and what to do next", r, c.Connected(&client, scope))
				}
				if got := started(t, r.File); got != program {
					t.Errorf("%s starts %q, want %q", r.File, got, program)
				}
				if again, err := c.Connect(&client, scope); err != nil || again.Changed {
					t.Errorf("a second time: %+v, %v; want no change", again, err)
				}
				if r, err := c.Undo(&client, scope); err != nil || !r.Changed {
					t.Errorf("undo: %+v, %v; want a change", r, err)
				}
				if _, err := os.Stat(r.File); !os.IsNotExist(err) {
					t.Errorf("after the undo: %v, want no file", err)
				}
			})
		}
	}
}

// started is the program that the only entry of a file starts.
func started(t *testing.T, file string) string {
	t.Helper()
	var doc map[string]map[string]struct{ Command any }
	decode := json.Unmarshal
	if strings.HasSuffix(file, ".toml") {
		decode = toml.Unmarshal
	}
	if err := decode([]byte(textOf(t, file)), &doc); err != nil {
		t.Fatal(err)
	}
	for _, servers := range doc {
		switch command := servers["winnow"].Command.(type) {
		case string:
			return command
		case []any:
			first, _ := command[0].(string)
			return first
		}
	}
	return ""
}

// Claude Code and VS Code share a file and an entry: whoever comes second finds
// it there, and whoever goes takes it out and nothing else.
func TestConnect_sharedFile(t *testing.T) {
	t.Parallel()
	for _, order := range [][]string{{"claude", "vscode"}, {"vscode", "claude"}} {
		c := connector(t)
		first, err := c.Connect(find(t, order[0]), connect.Project)
		if err != nil {
			t.Fatal(err)
		}
		written := textOf(t, first.File)
		second, err := c.Connect(find(t, order[1]), connect.Project)
		if err != nil || second.Changed || second.File != first.File {
			t.Errorf("%s: got %+v, %v; want the entry that is there", order, second, err)
		}
		if got := textOf(t, first.File); got != written || strings.Contains(got, "${") {
			t.Errorf("%s: got %s, want it as the first wrote it, with nothing that one of them replaces", order, got)
		}
		if r, err := c.Undo(find(t, order[1]), connect.Project); err != nil || !r.Changed {
			t.Errorf("%s: undo: %+v, %v; want a change", order, r, err)
		}
		if _, err := os.Stat(first.File); !os.IsNotExist(err) {
			t.Errorf("%s: after the undo: %v, want no file, as before", order, err)
		}
	}
}

// The launcher is made when an entry is written, and not to look or to undo.
func TestConnect_launcher(t *testing.T) {
	t.Parallel()
	c, made := connector(t), 0
	c.Launcher = func() string { made++; return "/launcher" }
	client := find(t, "gemini")
	c.Connected(client, connect.User)
	if text := c.Preview(client); !strings.Contains(text, "winnowd") {
		t.Errorf("got the entry %s, want the program in it", text)
	}
	if _, err := c.Undo(client, connect.User); err != nil {
		t.Fatal(err)
	}
	path := client.Files(c.Places)[connect.User]
	put(t, path, "{")
	if _, err := c.Connect(client, connect.User); err == nil {
		t.Error("got no error for a broken file")
	}
	if made != 0 {
		t.Errorf("the launcher was made %d times, want none", made)
	}
	put(t, path, "{}")
	if _, err := c.Connect(client, connect.User); err != nil || started(t, path) != "/launcher" || made != 1 {
		t.Errorf("got %v, and an entry that starts %q, with %d launchers made; want one", err, started(t, path), made)
	}
	if text := c.Entry(find(t, "jetbrains")); !strings.Contains(text, "/launcher") {
		t.Errorf("got the entry %s, want the launcher in it", text)
	}
}

const gemini = `{
  // mine
  "theme": "dark",
  "mcpServers": {
    "notes": { "command": "notes" } // keep
  }
}
`

// What stands in a file stays as it is written, and an undo gives it back byte
// for byte.
func TestConnect_keepsTheRest(t *testing.T) {
	t.Parallel()
	c, client := connector(t), find(t, "gemini")
	path := client.Files(c.Places)[connect.User]
	put(t, path, gemini)
	r, err := c.Connect(client, connect.User)
	if err != nil {
		t.Fatal(err)
	}
	got := textOf(t, path)
	for _, line := range strings.Split(gemini, "\n")[:4] {
		if !strings.Contains(got, line) {
			t.Errorf("got %s\nwant %q in it", got, line)
		}
	}
	if len(r.Others) != 1 || r.Others[0] != "notes" {
		t.Errorf("got the other servers %q, want notes", r.Others)
	}
	if _, err := c.Undo(client, connect.User); err != nil {
		t.Fatal(err)
	}
	if got := textOf(t, path); got != gemini {
		t.Errorf("after the undo: %s\nwant %s", got, gemini)
	}
}

// Where somebody has changed the file since, only the entry goes.
func TestUndo_changedSince(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ client, before, change, with string }{
		{"gemini", gemini, `"dark"`, `"light"`},
		{"codex", "model = \"a\" # mine\n", `"a"`, `"b"`},
		{"codex", "", "command", "env = { A = \"1\" }\ncommand"},
	} {
		t.Run(tc.client, func(t *testing.T) {
			t.Parallel()
			c, client := connector(t), find(t, tc.client)
			path := client.Files(c.Places)[connect.User]
			put(t, path, tc.before)
			if _, err := c.Connect(client, connect.User); err != nil {
				t.Fatal(err)
			}
			put(t, path, strings.Replace(textOf(t, path), tc.change, tc.with, 1))
			if r, err := c.Undo(client, connect.User); err != nil || !r.Changed {
				t.Fatalf("got %+v, %v; want a change", r, err)
			}
			want := strings.Replace(tc.before, tc.change, tc.with, 1)
			if got := textOf(t, path); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// A file that was there before stays, even where it said nothing, and also where
// an earlier one in its place was made for an entry.
func TestUndo_emptyBefore(t *testing.T) {
	t.Parallel()
	for id, before := range map[string]string{"gemini": "{}\n", "cursor": "{}", "codex": ""} {
		for _, again := range []bool{false, true} {
			c, client := connector(t), find(t, id)
			path := client.Files(c.Places)[connect.User]
			if again {
				if _, err := c.Connect(client, connect.User); err != nil {
					t.Fatal(err)
				}
			}
			put(t, path, before)
			if _, err := c.Connect(client, connect.User); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Undo(client, connect.User); err != nil {
				t.Fatal(err)
			}
			if got := textOf(t, path); strings.TrimSpace(got) != strings.TrimSpace(before) {
				t.Errorf("%s: got %q, want %q", id, got, before)
			}
		}
	}
}

// The records of earlier versions held whole files: they go, and a file that was
// made for an entry still goes with it.
func TestClearRecords(t *testing.T) {
	t.Parallel()
	c, client := connector(t), find(t, "gemini")
	r, err := c.Connect(client, connect.User)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(c.Dir); err != nil {
		t.Fatal(err)
	}
	record, err := json.Marshal(map[string]string{"file": r.File, "after": "{}"})
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(c.Dir, "0123456789abcdef.json"), string(record))
	put(t, filepath.Join(c.Dir, "fedcba9876543210.json"), `{"file":"/x","before":"{\"token\":\"secret\"}","after":""}`)
	put(t, filepath.Join(c.Dir, "1123456789abcdef.json"), "secret, broken")
	for range 2 { // the second time finds nothing
		if err := connect.ClearRecords(c.Dir); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(c.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if text := textOf(t, filepath.Join(c.Dir, entry.Name())); text != r.File {
			t.Errorf("%s is left and holds %q", entry.Name(), text)
		}
	}
	if _, err := c.Undo(client, connect.User); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(r.File); !os.IsNotExist(err) {
		t.Errorf("after the undo: %v, want no file", err)
	}
}

// The comments of the table behind the entry stay.
func TestUndo_comments(t *testing.T) {
	t.Parallel()
	c, client := connector(t), find(t, "codex")
	path := client.Files(c.Places)[connect.User]
	put(t, path, "model = \"a\"\n")
	if _, err := c.Connect(client, connect.User); err != nil {
		t.Fatal(err)
	}
	put(t, path, textOf(t, path)+"\n# about b\n[b]\nc = 1\n# the end\n")
	if _, err := c.Undo(client, connect.User); err != nil {
		t.Fatal(err)
	}
	if got, want := textOf(t, path), "model = \"a\"\n\n# about b\n[b]\nc = 1\n# the end\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A new path of the program replaces the old one in its place; in TOML the old
// table is not touched, and the error says what to write.
func TestConnect_movedProgram(t *testing.T) {
	t.Parallel()
	c := connector(t)
	for _, id := range []string{"cursor", "codex"} {
		if _, err := c.Connect(find(t, id), connect.User); err != nil {
			t.Fatal(err)
		}
	}
	c.Program = "/elsewhere/winnowd"
	r, err := c.Connect(find(t, "cursor"), connect.User)
	if err != nil || !r.Changed || started(t, r.File) != c.Program {
		t.Errorf("got %+v, %v; want an entry for %s", r, err, c.Program)
	}
	if _, err := c.Connect(find(t, "codex"), connect.User); err == nil || !strings.Contains(err.Error(), c.Program) {
		t.Errorf("got %v, want an error with the new entry", err)
	}
	if _, err := c.Undo(find(t, "cursor"), connect.User); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(r.File); !os.IsNotExist(err) {
		t.Errorf("after the undo: %v, want no file, as before the first entry", err)
	}
}

// A file that cannot be understood is an error that names the place, and stays.
func TestConnect_broken(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ client, text, want string }{
		{"gemini", "{\n  \"a\": \n}", "line 3"},
		{"gemini", `{"mcpServers": []}`, `"mcpServers" is not an object`},
		{"codex", "[a\n", "TOML"},
	} {
		c, client := connector(t), find(t, tc.client)
		path := client.Files(c.Places)[connect.User]
		put(t, path, tc.text)
		_, err := c.Connect(client, connect.User)
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v, want %q and the path", tc.text, err, tc.want)
		}
		if got := textOf(t, path); got != tc.text {
			t.Errorf("got %q, want the file as it was", got)
		}
	}
}

func TestConnect_noSuchFile(t *testing.T) {
	t.Parallel()
	c := connector(t)
	if _, err := c.Connect(find(t, "jetbrains"), connect.User); err == nil || !strings.Contains(err.Error(), "pasted by hand") {
		t.Errorf("got %v, want an error that says where it is pasted", err)
	}
	if _, err := c.Connect(find(t, "vscode"), connect.User); err == nil || !strings.Contains(err.Error(), "-scope project") {
		t.Errorf("got %v, want an error that says -scope project", err)
	}
	if got := c.DefaultScope(find(t, "claude")); got != connect.Project {
		t.Errorf("got %q, want the project's file by default", got)
	}
}

// An entry goes into an inline table, which nothing can be added to from outside, and
// comes out of it again.
func TestConnect_inlineTable(t *testing.T) {
	t.Parallel()
	for _, before := range []string{
		"model = \"x\"\nmcp_servers = { a = { command = \"b\", args = [\"{\"] } } # mine\n",
		"mcp_servers = {}\n",
	} {
		c, client := connector(t), find(t, "codex")
		file := client.Files(c.Places)[connect.User]
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Connect(client, connect.User); err != nil {
			t.Fatal(err)
		}
		if !c.Connected(client, connect.User) {
			t.Errorf("%q: no entry was added", before)
		}
		if r, err := c.Undo(client, connect.User); err != nil || !r.Changed || !strings.Contains(r.Entry, "mcp") {
			t.Errorf("%+v, %v; want what was taken out", r, err)
		}
		if after, err := os.ReadFile(file); err != nil || string(after) != before {
			t.Errorf("got %q (%v), want %q", after, err, before)
		}
	}
}

// The entry of an earlier version gets the line by which Codex does not ask about
// mcp_call, unless the user has said something of it, or Codex for them.
func TestConnect_olderTable(t *testing.T) {
	t.Parallel()
	const line = "tools.mcp_call.approval_mode = \"approve\"\n"
	for _, own := range []string{"", "startup_timeout_sec = 60\n", "[mcp_servers.winnow.tools.mcp_call]\napproval_mode = \"prompt\"\n"} {
		c, client := connector(t), find(t, "codex")
		r, err := c.Connect(client, connect.User)
		if err != nil {
			t.Fatal(err)
		}
		now := textOf(t, r.File)
		older := strings.Replace(now, line, "", 1)
		if older == now {
			t.Fatalf("%q has no line %q", now, line)
		}
		want := now + own
		if strings.Contains(own, "mcp_call") {
			want = older + own
		}
		put(t, r.File, older+own)
		if r, err := c.Connect(client, connect.User); err != nil || r.Changed != (want != older+own) {
			t.Errorf("got %+v, %v", r, err)
		}
		if got := textOf(t, r.File); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// The user's own entry of Claude Code is written by its command, whose failure is
// told in its words.
func TestConnect_byCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("NOT TESTED: the command is a script of the shell")
	}
	dir := t.TempDir()
	script := "#!/bin/sh\nprintf '%s\\n' \"$*\" >> " + dir + "/said\ncase $2 in remove) echo no such server; exit 1;; esac\n"
	if err := os.WriteFile(filepath.Join(dir, "claude"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	c, client := connector(t), find(t, "claude")
	t.Setenv("PATH", t.TempDir())
	if _, err := c.Connect(client, connect.User); err == nil || !strings.Contains(err.Error(), "-scope project") {
		t.Errorf("without the command: %v", err)
	}
	t.Setenv("PATH", dir+":/bin:/usr/bin")
	if r, err := c.Connect(client, connect.User); err != nil || !r.Changed {
		t.Errorf("%+v, %v", r, err)
	}
	said, err := os.ReadFile(filepath.Join(dir, "said"))
	if err != nil || !strings.HasPrefix(string(said), `mcp add-json --scope user winnow {"type":"stdio","command":`) || !strings.Contains(string(said), `"alwaysLoad":true`) {
		t.Errorf("%s, %v", said, err)
	}
	if _, err := c.Undo(client, connect.User); err == nil || !strings.Contains(err.Error(), "no such server") {
		t.Errorf("%v; want the words of the command", err)
	}
}
