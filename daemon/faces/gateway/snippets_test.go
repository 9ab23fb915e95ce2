package gateway

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// TestProcessSnippets: each text starts the program with the workspace's
// folder, whatever their paths hold.
func TestProcessSnippets(t *testing.T) {
	t.Parallel()
	const program, folder = `/opt/Win now/it's/winnowd`, `/home/me/my "notes"`
	for _, s := range processSnippets("winnow", program, folder) {
		if s.Client == "Claude Code" {
			want := `claude mcp add winnow -- '/opt/Win now/it'\''s/winnowd' mcp -workspace '/home/me/my "notes"'`
			if runtime.GOOS != "windows" && s.Text != want {
				t.Errorf("%s: %s", s.Client, s.Text)
			}
			continue
		}
		if !strings.Contains(s.Text, quoted(t, program)) {
			t.Errorf("%s does not start %s:\n%s", s.Client, program, s.Text)
		}
		if s.Client == "VS Code" { // it starts the servers of the file in the folder of the file
			continue
		}
		if !strings.Contains(s.Text, quoted(t, folder)) && !strings.Contains(s.Text, `"${workspaceFolder}"`) {
			t.Errorf("%s is told no folder:\n%s", s.Client, s.Text)
		}
	}
	for _, s := range processSnippets("winnow", "winnowd", "") {
		if s.Client != "Cursor" && strings.Contains(s.Text, "-workspace") {
			t.Errorf("without a folder %s is told one: %s", s.Client, s.Text)
		}
	}
}

// TestAddressSnippets_files: Zoo Code and Cursor are told of the same file by
// either way.
func TestAddressSnippets_files(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for _, s := range processSnippets("winnow", "winnowd", "") {
		files[s.Client] = s.File
	}
	for _, s := range addressSnippets("winnow", "http://127.0.0.1:1/mcp", "token") {
		if want := files[s.Client]; (s.Client == "Zoo Code" || s.Client == "Cursor") && s.File != want {
			t.Errorf("%s: got %s, want %s", s.Client, s.File, want)
		}
	}
}

// TestAddressSnippets_page: the page on clients has for each client the file and the
// members of what is offered to paste.
func TestAddressSnippets_page(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "extension", "docs", "clients.md"))
	if err != nil {
		t.Fatal(err)
	}
	row := func(client string) string {
		return regexp.MustCompile(`(?m)^\| ` + client + `[^|]*\|[^|]*\|$`).FindString(string(text))
	}
	for _, s := range addressSnippets("winnow", "…", "…") {
		said := row(s.Client)
		wants := []string{"`" + s.File + "`"}
		var members map[string]map[string]struct{ Type string }
		switch err := json.Unmarshal([]byte(s.Text), &members); {
		case s.File == "":
			wants = []string{"`claude mcp add --transport http winnow … --header \"Authorization: Bearer …\"`"}
		case err != nil:
			t.Fatal(err)
		default:
			for root, servers := range members {
				if s.Client == "Cursor" || s.Client == "VS Code" { // the others are as for Cursor
					wants = append(wants, fmt.Sprintf(`{%q:{"winnow":{`, root))
				}
				if servers["winnow"].Type != "" {
					wants = append(wants, fmt.Sprintf(`"type":%q`, servers["winnow"].Type))
				}
			}
		}
		for _, want := range wants {
			if !strings.Contains(said, want) {
				t.Errorf("%s: the page has no %s in %q", s.Client, want, said)
			}
		}
	}
}

// quoted is a text in JSON, which is how TOML writes it too.
func quoted(t *testing.T, text string) string {
	t.Helper()
	data, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
