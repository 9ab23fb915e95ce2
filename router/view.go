package router

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/ranker"
)

// View is what a request sees: one version of the catalogue under one set of
// settings and one mode. It is immutable, and the same for every task that
// shares the three.
//
// Its methods lie in layers. Each is a type that embeds the one below, so that
// what a layer decides can rest on those below it and on no other:
//
//	reporting   what people and hosts see of a task
//	answering   what a model gets that loads, searches or calls
//	choosing    which tools a message gets: the strategies, and the gateway's modes
//	attaching   how tools come into a task, and into its description of mcp_load
//	matching    which tools fit a text, and which stand in where none does
//	naming      which tool a name means
//	capacity    how many tools a request holds, and whether that asks for a choice
//	admission   which tools a task may have
//	basis       the values that all of it is decided by
type View struct{ reporting }

type (
	reporting struct{ answering }
	answering struct{ choosing }
	choosing  struct{ attaching }
	attaching struct{ matching }
	matching  struct{ naming }
	naming    struct{ capacity }
	capacity  struct{ admission }
	admission struct{ basis }
)

// basis is what a view decides by.
type basis struct {
	Catalog  *Catalog
	Settings *protocol.Settings
	Mode     *Mode
	Scope    *Scope
	// Usage counts the recent uses of tools in the workspace.
	Usage Usage
	// Memory knows which tools models had to fetch for messages; nil knows of
	// none.
	Memory *ranker.Memory
	// Families are those that the folder speaks for, the most telling first.
	Families []ranker.Family

	// queryVector is a provider's vector of queryText; nil without one.
	queryText   string
	queryVector []float32

	// gating is what servers said about the message of a turn; nil elsewhere.
	gating *Gating

	ranker ranker.Ranker
	pinned []int // in scope and always-load, in the order of comparePins
}

// NewView applies a mode to a catalogue. A nil mode admits every server.
func NewView(c *Catalog, settings *protocol.Settings, mode *Mode) *View {
	if mode == nil {
		mode = &Mode{}
	}
	v := &View{}
	v.basis = basis{Catalog: c, Settings: settings, Mode: mode, Scope: NewScope(mode, c)}
	v.ranker = c.corpus.Ranker(ranker.Kind(settings.Ranker))
	for i := range c.Tools {
		if c.Tools[i].AlwaysLoad && v.Scope.Admits(i) {
			v.pinned = append(v.pinned, i)
		}
	}
	slices.SortFunc(v.pinned, v.comparePins)
	return v
}

// comparePins orders tools that are always loaded: the user's wishes before
// the servers', each by name.
func (v *View) comparePins(a, b int) int {
	x, y := &v.Catalog.Tools[a], &v.Catalog.Tools[b]
	if x.Pinned != y.Pinned {
		if x.Pinned {
			return -1
		}
		return 1
	}
	return strings.Compare(x.Name, y.Name)
}

// Usage counts recent uses by tool. It is not changed once it is in a view.
type Usage map[ToolID]float64

// WithUsage returns the view with other counts.
func (v *View) WithUsage(u Usage) *View {
	next := *v
	next.Usage = u
	return &next
}

// WithMemory returns the view with another memory.
func (v *View) WithMemory(m *ranker.Memory) *View {
	next := *v
	next.Memory = m
	return &next
}

// WithFamilies returns the view for a folder that speaks for families of servers.
func (v *View) WithFamilies(families []ranker.Family) *View {
	next := *v
	next.Families = families
	return &next
}

// Unrouted returns the view with routing off, as `searchTurns: 0` has it.
func (v *View) Unrouted() *View {
	next := *v
	next.Settings = withoutRouting(v.Settings)
	return &next
}

// withoutRouting returns settings that choose no tools.
func withoutRouting(s *protocol.Settings) *protocol.Settings {
	off := *s
	off.SearchTurns = 0
	return &off
}

// WithQueryVector returns the view with an embedding provider's vector of a
// text that is about to be ranked.
func (v *View) WithQueryVector(text string, vector []float32) *View {
	next := *v
	next.queryText, next.queryVector = text, vector
	return &next
}

// WithGating returns the view for one message, about which servers have said
// something. nil is none.
func (v *View) WithGating(g *Gating) *View {
	if g == nil {
		return v
	}
	next := *v
	next.gating = g
	return &next
}

// Gating is what the servers said about one message. It is not changed once it
// is in a view.
type Gating struct {
	// Verdicts are all that was said, and what became of it.
	Verdicts []protocol.GatingVerdict
	// Claim is the tool whose result is to be the answer of the turn; nil
	// when no server claimed the message, or more than one did.
	Claim *Claim

	excluded map[ToolID]bool
}

// Claim is a tool that its server wants to answer a message.
type Claim struct {
	Tool      *Tool
	Arguments json.RawMessage
}
