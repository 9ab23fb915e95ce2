package connect_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/connect"
)

// TestModel: the proxy's address is written into what a client has already, which stays as it is, and
// taken out again; what says something else stays, and is an error.
func TestModel(t *testing.T) {
	t.Parallel()
	const proxy = "http://127.0.0.1:4711"
	for _, tt := range []struct{ client, file, before, want, other string }{
		{"claude", ".claude/settings.json", "{\n  // mine\n  \"model\": \"opus\"\n}\n", `"ANTHROPIC_BASE_URL": "http://127.0.0.1:4711/anthropic"`, `{"env":{"ANTHROPIC_BASE_URL":"https://mine"}}`},
		{"claude", ".claude/settings.json", "{\n  \"env\": { \"A\": \"1\" }\n}\n", `"A": "1"`, ""},
		{"opencode", ".config/opencode/opencode.json", `{ "mcp": {} }`, `"baseURL": "http://127.0.0.1:4711/openai/v1"`, `{"provider":{"openai":{"options":{"baseURL":"https://mine"}}}}`},
		{"gemini", ".gemini/.env", "GEMINI_API_KEY=x\n", "GEMINI_API_KEY=x\nGOOGLE_GEMINI_BASE_URL=http://127.0.0.1:4711/gemini\n", "export GOOGLE_GEMINI_BASE_URL=https://mine\n"},
		{"codex", ".codex/config.toml", "# mine\n[mcp_servers.a]\ncommand = \"x\"\n", "model_provider = \"winnow\"\n# mine\n", "model_provider = \"azure\"\n"},
		{"gemini", ".gemini/.env", "", "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:4711/gemini\n", ""},
		{"claude", ".claude/settings.json", "", "/anthropic", ""},
		{"codex", ".codex/config.toml", "", "base_url = \"http://127.0.0.1:4711/openai/v1\"", ""},
	} {
		t.Run(tt.client, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			path := filepath.Join(home, tt.file)
			c := &connect.Connector{Dir: filepath.Join(home, "notes"), Places: connect.Places{Home: home, Environ: func(name string) (string, bool) {
				return "key", name == "OPENAI_API_KEY"
			}}}
			client, _ := connect.Find(tt.client)
			put := func(text string) {
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if tt.before != "" {
				put(tt.before)
			}
			for range 2 {
				r, err := c.Model(&client, proxy, false)
				text, _ := os.ReadFile(path)
				if err != nil || r.File != path || !strings.Contains(string(text), tt.want) || c.Proxied() != proxy {
					t.Fatalf("got %v, %+v, %s", err, r, text)
				}
			}
			if r, err := c.Model(&client, proxy, true); err != nil || !r.Changed || c.Proxied() != "" {
				t.Errorf("undone: %v, %+v", err, r)
			}
			if text, _ := os.ReadFile(path); string(text) != tt.before {
				t.Errorf("after the undo it is %q, want %q", text, tt.before)
			}
			if _, err := os.Lstat(path); (err == nil) != (tt.before != "") {
				t.Errorf("a file that was made for it: %v", err)
			}
			if tt.other == "" {
				return
			}
			put(tt.other)
			_, err := c.Model(&client, proxy, false)
			if text, _ := os.ReadFile(path); err == nil || string(text) != tt.other {
				t.Errorf("another address: %v, and the file is %s", err, text)
			}
		})
	}
}

// TestModel_undo: an undo takes out the address that was written, wherever the proxy is looked for now, and
// nothing of the user's; what it cannot take out stays noted.
func TestModel_undo(t *testing.T) {
	t.Parallel()
	const written, usual = "http://127.0.0.1:5000", "http://127.0.0.1:4711"
	const variable = "GOOGLE_GEMINI_BASE_URL=" + written + "/gemini"
	for _, tt := range []struct {
		name, client, file string
		// edit is what the user makes of the file meanwhile.
		edit        func(text string) string
		want        string
		fails, left bool
	}{
		{"another address", "claude", ".claude/settings.json", nil, "", false, false},
		{"commented", "gemini", ".gemini/.env", func(text string) string { return "#" + variable + "\n" + text }, "#" + variable + "\n", false, false},
		{"CRLF", "gemini", ".gemini/.env", func(string) string { return "A=1\r\n" + variable + "\r\n" }, "A=1\r\n", false, false},
		{"as a part of another", "gemini", ".gemini/.env", func(string) string { return "MY_" + variable + "\n" }, "MY_" + variable + "\n", false, true},
		{"by hand", "codex", ".codex/config.toml", func(string) string { return "a = 1\n" }, "a = 1\n", false, false},
		{"a table below", "codex", ".codex/config.toml", func(text string) string { return text + "\n[b]\n" }, "\n[b]\n", false, false},
		{"a key below", "codex", ".codex/config.toml", func(text string) string { return text + "b = 1\n" }, "", true, true},
		{"a part of the table below", "codex", ".codex/config.toml", func(text string) string { return text + "[model_providers.winnow.http_headers]\n" }, "", true, true},
		{"edited", "codex", ".codex/config.toml", func(text string) string { return strings.Replace(text, "responses", "chat", 1) }, "", true, true},
		{"no TOML any more", "codex", ".codex/config.toml", func(text string) string { return text + "=\n" }, "", true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			path := filepath.Join(home, tt.file)
			c := &connect.Connector{Dir: filepath.Join(home, "notes"), Places: connect.Places{Home: home, Environ: func(name string) (string, bool) {
				return "key", name == "OPENAI_API_KEY"
			}}}
			client, _ := connect.Find(tt.client)
			if _, err := c.Model(&client, written, false); err != nil {
				t.Fatal(err)
			}
			want := tt.want
			if tt.edit != nil {
				text, _ := os.ReadFile(path)
				edited := tt.edit(string(text))
				if err := os.WriteFile(path, []byte(edited), 0o600); err != nil {
					t.Fatal(err)
				}
				if tt.fails {
					want = edited
				}
			}
			r, err := c.Model(&client, usual, true)
			if text, _ := os.ReadFile(path); (err != nil) != tt.fails || string(text) != want {
				t.Errorf("got %v, %q, want %q", err, text, want)
			}
			if left := c.Proxied(); r.Entry != written || (left != "") != tt.left {
				t.Errorf("of %s, %q is noted still", r.Entry, left)
			}
		})
	}
}

// The servers of a client are those of all its files.
func TestServersOf(t *testing.T) {
	t.Parallel()
	home, workspace := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(home, ".config", "opencode", "opencode.jsonc"): "// mine\n{\"mcp\": {\"memory\": {}, \"broken\": 1}}",
		filepath.Join(workspace, "opencode.json"):                    `{"mcp": {"github": {}}}`,
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := &connect.Connector{Places: connect.Places{Home: home, Workspace: workspace, Environ: func(string) (string, bool) { return "", false }}}
	got := c.ServersOf("opencode")
	slices.Sort(got)
	if want := []string{"broken", "github", "memory"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
