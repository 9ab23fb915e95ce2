package router

import (
	"encoding/json"
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
)

// clientEntries is the most entries that VS Code sends before it puts further tools behind
// groups: its own tools, servers' tools and groups together.
const clientEntries = 88

// WithClient returns the task of a client that hides tools itself. c holds what it would
// send without Winnow if all servers were in its own file. A tool that the catalogue
// lacks costs nothing. For the servers that Winnow runs, the client's choice cannot be
// observed and is computed. Only counts change, not the attachment.
func (v *reporting) WithClient(t Task, c protocol.ClientTools) Task {
	c.Tokens = 0
	for _, name := range c.Visible {
		if i, ok := v.Catalog.byName[name]; ok {
			c.Tokens += v.Catalog.Tools[i].Tokens
		}
	}
	for _, g := range c.Groups {
		schema := g.InputSchema
		if len(schema) == 0 {
			schema = json.RawMessage(emptySchema) // as of any other tool without one
		}
		c.Tokens += v.Catalog.metaTokens.tokens(protocol.MetaTool{Name: g.Name, Description: g.Description, InputSchema: schema})
	}
	v.addOwn(&t, &c)
	t.Client = &c
	return t
}

// addOwn adds what the client would send of the servers that Winnow runs. It adds each of
// their tools while there is room. Beyond that it adds tools and groups at the average
// cost of an entry.
func (v *reporting) addOwn(t *Task, c *protocol.ClientTools) {
	entries := len(c.Visible) + len(c.Groups)
	c.Computed = false
	for i := range v.Catalog.Tools {
		if v.Catalog.IsOwn(i) && v.admits(t, i) {
			c.Computed = true
			c.Tokens += v.Catalog.Tools[i].Tokens
			entries++
		}
	}
	if room := max(1, clientEntries-t.Model.NativeTools); c.Computed && entries > room {
		c.Tokens = c.Tokens * room / entries
	}
}

// Used counts the tools that the task's model has called.
func (v *reporting) Used(t *Task) protocol.UsedTools {
	used := protocol.UsedTools{Called: len(t.Called)}
	opened := map[string]bool{}
	for _, id := range t.Called {
		if at := t.Has(id); at >= 0 && t.Attached[at].inHand() {
			used.InHand++
		}
		if g := v.groupOf(t, id); g != "" && !opened[g] {
			opened[g] = true
			used.GroupCalls++
		}
	}
	return used
}

// groupOf names the group behind which the task's client hides a tool, or "" if none
// does.
func (v *reporting) groupOf(t *Task, id ToolID) string {
	if t.Client == nil {
		return ""
	}
	i, ok := v.Catalog.Lookup(id)
	if !ok {
		return ""
	}
	name := v.Catalog.Tools[i].Name
	for _, g := range t.Client.Groups {
		if slices.Contains(g.Hides, name) && !slices.Contains(t.Client.Visible, name) {
			return g.Name
		}
	}
	return ""
}
