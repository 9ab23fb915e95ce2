package config

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// lookup is a small world: TOKEN, EMPTY and WIN are set, /w1 (one) and /w2
// (two) are the folders.
func lookup() Lookup {
	env := map[string]string{"TOKEN": "t", "EMPTY": "", "WIN": `C:\a\b`, "LONG": `\\?\C:\a`, "EVIL": "${TOKEN}"}
	return Lookup{
		Env:     func(name string) (string, bool) { v, ok := env[name]; return v, ok },
		Folders: []Folder{{"one", "/w1"}, {"two", "/w2"}},
		Home:    "/home/me",
		Input: func(id string) (string, bool) {
			return "typed", id == "known"
		},
		ReadFile: func(path string) ([]byte, error) {
			if path == filepath.FromSlash("/w1/.env") {
				return []byte("A=file\nB=file\nnonsense\nGONE=1\n"), nil
			}
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		},
	}
}

func TestExpand_Variables(t *testing.T) {
	t.Parallel()
	sep := string(filepath.Separator)
	tests := []struct {
		dialect Dialect
		text    string
		want    string
		problem string // "" for none
	}{
		{Roo, "a${env:TOKEN}b${env:TOKEN}", "atbt", ""},
		{Roo, "${env:WIN}", "C:/a/b", ""},
		{Roo, "${env:LONG}", `\\?\C:\a`, ""},
		{Roo, "${workspaceFolder}/x", "/w1/x", ""},
		{Roo, "${env:NOPE}", "${env:NOPE}", "${env:NOPE} has no value"},
		{Roo, "${env:NO-PE}", "${env:NO-PE}", "a variable is not replaced"},
		{Roo, "${TOKEN}", "${TOKEN}", "${TOKEN} is not replaced"},
		{Roo, "${TOKEN:-d}", "${TOKEN:-d}", "${TOKEN} is not replaced"},
		{Roo, "${input:known}", "${input:known}", "${input:known} is not replaced"},
		{Roo, "${userHome}", "${userHome}", "is not replaced"},
		{Roo, "${workspaceFolder:two}", "${workspaceFolder:two}", "is not replaced"},

		{KiloConfig, "a{env:TOKEN}b{env:TOKEN}", "atbt", ""},
		{KiloConfig, "x{env:NOPE}", "x", "{env:NOPE} has no value"},
		{KiloConfig, "{file:~/key}", "{file:~/key}", "a variable is not replaced"},
		{KiloConfig, "${TOKEN} {TOKEN}", "${TOKEN} {TOKEN}", ""},

		{Claude, "${TOKEN}", "t", ""},
		{Claude, "${TOKEN:-d}", "t", ""},
		{Claude, "${EMPTY}", "", ""},
		{Claude, "${EMPTY:-d}", "d", ""},
		{Claude, "${NOPE:-d}", "d", ""},
		{Claude, "${NOPE:-}", "", ""},
		{Claude, "${NOPE:-https://a:b}", "https://a:b", ""},
		{Claude, "${NOPE}", "${NOPE}", "${NOPE} has no value"},
		{Claude, "$TOKEN", "$TOKEN", ""},
		{Claude, "$$", "$$", ""},
		{Claude, "${WIN}", `C:\a\b`, ""},
		{Claude, "${env:TOKEN}", "${env:TOKEN}", "is not replaced"},
		{Claude, "${workspaceFolder}", "${workspaceFolder}", "has no value"},
		{Claude, "${EVIL}", "${TOKEN}", ""}, // what is put in is not expanded again

		{VSCode, "${workspaceFolder}${/}${workspaceFolder:two}${pathSeparator}${workspaceFolderBasename}", "/w1" + sep + "/w2" + sep + "w1", ""},
		{VSCode, "${userHome}", "/home/me", ""},
		{VSCode, "${env:TOKEN}", "t", ""},
		{VSCode, "a${env:NOPE}b", "ab", "${env:NOPE} has no value"},
		{VSCode, "${workspaceFolder:three}", "${workspaceFolder:three}", "has no value"},
		{VSCode, "${input:known}", "typed", ""},
		{VSCode, "${TOKEN}", "${TOKEN}", "is not replaced"},
		{VSCode, "${command:x}", "${command:x}", "is not replaced"},

		{Cursor, "${env:TOKEN} ${userHome} ${workspaceFolder}", "t /home/me /w1", ""},
		{Cursor, "${input:known}", "${input:known}", "is not replaced"},

		{Winnow, "${env:TOKEN} ${TOKEN} ${NOPE:-d} ${input:known} ${workspaceFolder:two} ${userHome}", "t t d typed /w2 /home/me", ""},
		{Winnow, "${env:NOPE}", "${env:NOPE}", "${env:NOPE} has no value"},
		{Winnow, "${}", "${}", "a variable is not replaced"},
		{Winnow, "${", "${", ""},
		{Winnow, "${sk-live.secret that was pasted here}", "${sk-live.secret that was pasted here}", "a variable is not replaced"},
	}
	for _, tt := range tests {
		t.Run(string(tt.dialect)+" "+strings.ReplaceAll(tt.text, "/", "|"), func(t *testing.T) {
			t.Parallel()
			s := Server{Name: "s", Origin: Origin{Source: Source{Dialect: tt.dialect}}, Definition: Definition{Transport: HTTP, URL: tt.text}}
			got := Expand(s, lookup())
			if got.Definition.URL != tt.want {
				t.Errorf("got %q, want %q", got.Definition.URL, tt.want)
			}
			if tt.problem == "" && len(got.Problems) > 0 {
				t.Errorf("problems %v", got.Problems)
			}
			if tt.problem != "" && (len(got.Problems) != 1 || !strings.Contains(got.Problems[0].Message, tt.problem)) {
				t.Errorf("problems %v, want %q", got.Problems, tt.problem)
			}
		})
	}
}

// TestExpand_Everywhere: every text of a definition is expanded, and the server
// is left as it was.
func TestExpand_Everywhere(t *testing.T) {
	t.Parallel()
	const v, want = "${TOKEN}", "t"
	d := Definition{
		Transport: Stdio, Command: v, Args: []string{v, "x"}, Cwd: v, Env: map[string]string{"E": v}, EnvFile: v, URL: v,
		Headers: map[string]string{"H": v}, OAuth: protocol.OAuthEntry{ClientID: v, ClientSecret: v, AuthServerMetadataURL: v, ClientMetadataURL: v},
	}
	s := Server{Definition: d, Origin: Origin{Source: Source{Dialect: Winnow, Folder: "/w2"}}}
	world := lookup()
	var envFile string
	world.ReadFile = func(path string) ([]byte, error) { envFile = path; return nil, nil }
	got := Expand(s, world).Definition
	texts := []string{got.Command, got.Args[0], got.Env["E"], got.URL, got.Headers["H"], got.OAuth.ClientID, got.OAuth.ClientSecret, got.OAuth.AuthServerMetadataURL, got.OAuth.ClientMetadataURL}
	for i, text := range texts {
		if text != want {
			t.Errorf("text %d is %q", i, text)
		}
	}
	if got.Cwd != filepath.FromSlash("/w2/t") || envFile != filepath.FromSlash("/w2/t") || got.EnvFile != "" {
		t.Errorf("cwd %q, envFile %q read from %q", got.Cwd, got.EnvFile, envFile)
	}
	if d.Args[0] != v || d.Env["E"] != v || d.Headers["H"] != v {
		t.Error("Expand changed its argument")
	}
}

func TestExpand_Inputs(t *testing.T) {
	t.Parallel()
	s := Server{
		Origin: Origin{Source: Source{Dialect: VSCode}},
		Definition: Definition{Transport: HTTP, URL: "${input:b}${input:known}", Headers: map[string]string{
			"X": "${input:a}", "Y": "${input:b}",
		}},
	}
	got := Expand(s, lookup())
	if want := []string{"b", "a"}; !slices.Equal(got.Inputs, want) || len(got.Problems) > 0 {
		t.Errorf("inputs %q, want %q; problems %v", got.Inputs, want, got.Problems)
	}
	if got.Definition.URL != "${input:b}typed" {
		t.Errorf("url %q", got.Definition.URL)
	}
	bare := Expand(s, Lookup{})
	if want := []string{"b", "known", "a"}; !slices.Equal(bare.Inputs, want) {
		t.Errorf("inputs %q without answers, want %q", bare.Inputs, want)
	}
}

func TestExpand_Cwd(t *testing.T) {
	t.Parallel()
	abs := filepath.FromSlash("/abs")
	tests := []struct {
		name   string
		source Source
		cwd    string
		want   string
	}{
		{"own folder", Source{Dialect: Claude, Folder: "/w2"}, "", "/w2"},
		{"relative", Source{Dialect: Roo, Folder: "/w2"}, "a/b", "/w2/a/b"},
		{"absolute", Source{Dialect: Roo, Folder: "/w2"}, abs, abs},
		{"first folder", Source{Dialect: Winnow, Scope: User}, "", "/w1"},
		{"unknown start", Source{Dialect: Winnow, Scope: User}, "${env:NOPE}/x", "${env:NOPE}/x"},
	}
	for _, tt := range tests {
		s := Server{Origin: Origin{Source: tt.source}, Definition: Definition{Transport: Stdio, Command: "x", Cwd: tt.cwd}}
		if got := Expand(s, lookup()).Definition.Cwd; got != filepath.FromSlash(tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	remote := Server{Origin: Origin{Source: Source{Dialect: Roo, Folder: "/w2"}}, Definition: Definition{Transport: HTTP}}
	if got := Expand(remote, lookup()).Definition.Cwd; got != "" {
		t.Errorf("a remote server got the folder %q", got)
	}
}

func TestExpand_EnvFile(t *testing.T) {
	t.Parallel()
	s := Server{
		Name: "s", Origin: Origin{Source: Source{Dialect: VSCode, Folder: "/w1"}},
		Definition: Definition{Transport: Stdio, Command: "x", EnvFile: "${workspaceFolder}/.env", Env: map[string]string{"A": "entry"}, UnsetEnv: []string{"GONE"}},
	}
	got := Expand(s, lookup())
	if want := map[string]string{"A": "entry", "B": "file"}; !maps.Equal(got.Definition.Env, want) {
		t.Errorf("env %v, want %v", got.Definition.Env, want)
	}
	if len(got.Problems) != 1 || !strings.Contains(got.Problems[0].Message, "line 3") {
		t.Errorf("problems %v", got.Problems)
	}

	s.Definition.EnvFile = "/secret-${env:TOKEN}"
	got = Expand(s, lookup())
	if len(got.Problems) != 1 || !strings.HasSuffix(got.Problems[0].Message, "file does not exist") {
		t.Errorf("problems %v", got.Problems)
	}
	if got.Definition.Env["A"] != "entry" {
		t.Errorf("env %v", got.Definition.Env)
	}
}

func TestCauseOf(t *testing.T) {
	t.Parallel()
	if got := causeOf(errors.New("plain")); got != "plain" {
		t.Errorf("got %q", got)
	}
}
