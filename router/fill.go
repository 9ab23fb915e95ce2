package router

import (
	"cmp"
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
)

// fill returns up to n tools of some servers for places that no match took, so that a
// message that few tools match still gets others. The tools used most in this workspace
// come first. Then comes one tool of each server in turn: servers by name, tools in the
// server's own order, which usually starts with what matters most.
func (v *matching) fill(t *Task, taken []pick, n int, of func(server string) bool) []pick {
	held := t.held(len(taken) + n).ids
	for _, p := range taken {
		held[v.Catalog.Tools[p.tool].ID] = true
	}
	picks := make([]pick, 0, n)
	take := func(i int) {
		if id := v.Catalog.Tools[i].ID; len(picks) < n && !held[id] && of(id.Server) && !v.Catalog.isBuiltIn(i) && v.attachable(t, i) {
			held[id] = true
			picks = append(picks, pick{tool: i, reason: protocol.ReasonFill})
		}
	}
	for _, id := range v.mostUsed() {
		if i, ok := v.Catalog.Lookup(id); ok {
			take(i)
		}
	}
	for _, i := range v.Catalog.fillOrder() {
		if len(picks) == n {
			break
		}
		take(i)
	}
	return picks
}

// anyServer admits the tools of every server.
func anyServer(string) bool { return true }

// mostUsed returns the used tools, most used first.
func (v *matching) mostUsed() []ToolID {
	ids := make([]ToolID, 0, len(v.Usage))
	for id := range v.Usage {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b ToolID) int {
		return cmp.Or(cmp.Compare(v.Usage[b], v.Usage[a]), a.compare(b))
	})
	return ids
}
