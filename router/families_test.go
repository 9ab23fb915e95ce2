package router

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/ranker"
)

// What the task has just called comes before what the folder speaks for, and that
// before what the workspace used lately; each once. The setting turns all of it off.
func TestMatching_families(t *testing.T) {
	t.Parallel()
	c := catalogOf(
		ServerInput{Name: "helm", Tools: []json.RawMessage{rawTool("list_releases", "")}}, ServerInput{Name: "nomad", Tools: []json.RawMessage{rawTool("list_releases", "")}},
		ServerInput{Name: "gitlab", Tools: []json.RawMessage{rawTool("get_file", "")}},
	)
	settings := protocol.DefaultSettings()
	v := NewView(c, &settings, nil).WithFamilies([]ranker.Family{{Name: "helm", Evidence: "this folder has a Chart.yaml"}})
	task := Task{ID: "t", Message: "list the releases"}
	names := func() string {
		var out []string
		for _, f := range v.families(&task) {
			out = append(out, f.Name)
		}
		return strings.Join(out, " ")
	}
	if m := v.rank(&task, 1, true); c.Tools[m[0].Doc].ID.Server != "helm" || !strings.Contains(ranker.Sentence(m[0].Parts), "this folder has a Chart.yaml") {
		t.Errorf("first is %s: %s", c.Tools[m[0].Doc].ID.Server, ranker.Sentence(m[0].Parts))
	}
	v = v.WithUsage(Usage{ToolID{Server: "helm", Tool: "list_releases"}: 1, ToolID{Server: "nomad", Tool: "list_releases"}: 5})
	if got := names(); got != "helm nomad" {
		t.Errorf("before a call: %s", got)
	}
	task.Called = []ToolID{{Server: "helm", Tool: "list_releases"}, {Server: "gitlab", Tool: "get_file"}}
	if got := names(); got != "gitlab helm nomad" {
		t.Errorf("after a call: %s", got)
	}
	settings.Learn.Folder = false
	if got := names(); got != "" {
		t.Errorf("with the setting off: %s", got)
	}
}
