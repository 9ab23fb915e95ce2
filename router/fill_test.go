package router

import (
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// TestView_FillRule: what is used most, then one tool of each server in turn,
// servers by name, tools as the server lists them.
func TestView_FillRule(t *testing.T) {
	t.Parallel()
	c := catalogOf(serverOf("delta", "d1", "d2", "d3"), serverOf("alpha", "a2", "a1"), serverOf("bravo", "b1"), numbered("zulu", 0, 60))
	v := viewOf(c, func(s *protocol.Settings) { s.InitialK = 8 })
	tests := []struct {
		name  string
		usage Usage
		want  []string // in the order in which they are taken
	}{
		{"never used", nil, []string{"a2", "b1", "d1", "zulu_zqbbb", "a1", "d2", "zulu_zqbbc", "d3"}},
		{"used", Usage{ref("zulu", "zulu_zqbgb"): 5, ref("delta", "d3"): 3, ref("gone", "x"): 9},
			[]string{"zulu_zqbgb", "d3", "a2", "b1", "d1", "zulu_zqbbb", "a1", "d2"}},
		{"used equally", Usage{ref("zulu", "zulu_zqbgb"): 1, ref("delta", "d3"): 1, ref("delta", "d2"): 1},
			[]string{"d2", "d3", "zulu_zqbgb", "a2", "b1", "d1", "zulu_zqbbb", "a1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := v.WithUsage(tt.usage)
			for n := 1; n <= len(tt.want); n++ {
				var got []string
				for _, p := range v.fill(&Task{}, nil, n, anyServer) {
					got = append(got, c.Tools[p.tool].Name)
				}
				wantNames(t, "taken", got, tt.want[:n])
			}
			task := v.Open(Opening{ID: "t", Message: "nothing of this matches qqq"})
			if counts := attachReasons(&task); counts[protocol.ReasonFill] != 8 || len(task.Attached) != 8 {
				t.Errorf("attached %v", counts)
			}
		})
	}
}

// TestView_FillOnlyTheFirst: a later message without a match adds nothing.
func TestView_FillOnlyTheFirst(t *testing.T) {
	t.Parallel()
	v := viewOf(catalogOf(numbered("s", 0, 100)))
	task := v.Open(Opening{ID: "t", Message: ""})
	if len(task.Attached) != 30 {
		t.Fatalf("%d tools for an empty message, want 30", len(task.Attached))
	}
	if task = v.Turn(task, "nothing of this matches qqq"); len(task.Attached) != 30 {
		t.Errorf("%d tools after the second", len(task.Attached))
	}
}

// TestView_InitialK0 attaches nothing by itself and still offers mcp_load.
func TestView_InitialK0(t *testing.T) {
	t.Parallel()
	v := viewOf(catalogOf(numbered("s", 0, 100)), func(s *protocol.Settings) { s.InitialK = 0 })
	task := v.Open(Opening{ID: "t", Message: words(0, 5)})
	if len(task.Attached) != 0 || len(v.MetaTools(&task)) != 1 {
		t.Errorf("%d tools, %d meta tools", len(task.Attached), len(v.MetaTools(&task)))
	}
}
