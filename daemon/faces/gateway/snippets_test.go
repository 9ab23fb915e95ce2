package gateway

import (
	"encoding/json"
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
		if s.File == "" {
			want := `claude mcp add winnow -- '/opt/Win now/it'\''s/winnowd' mcp -workspace '/home/me/my "notes"'`
			if runtime.GOOS != "windows" && s.Text != want {
				t.Errorf("%s: %s", s.Client, s.Text)
			}
			continue
		}
		var file map[string]map[string]struct {
			Command string
			Args    []string
		}
		if err := json.Unmarshal([]byte(s.Text), &file); err != nil {
			t.Fatalf("%s: %v", s.Client, err)
		}
		for _, root := range file {
			entry := root["winnow"]
			got := entry.Args[len(entry.Args)-1]
			if entry.Command != program || entry.Args[0] != "mcp" || got != folder && got != editorFolder {
				t.Errorf("%s starts %q with %q", s.Client, entry.Command, entry.Args)
			}
		}
	}
	for _, s := range processSnippets("winnow", "winnowd", "") {
		if s.Client != "Cursor" && s.Client != "VS Code" && strings.Contains(s.Text, "-workspace") {
			t.Errorf("without a folder %s is told one: %s", s.Client, s.Text)
		}
	}
}
