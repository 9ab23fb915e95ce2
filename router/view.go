package router

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/ranker"
)

// View is one version of the catalogue under one set of settings and one mode. It is
// immutable, and shared by all tasks with the same three.
//
// Its methods are in layers. Each layer is a type that embeds the next lower one, so its
// decisions depend only on lower layers:
//
//	reporting   what people and hosts see of a task
//	answering   what a model gets that loads, searches or calls
//	choosing    which tools a message gets: the strategies, and the gateway's modes
//	attaching   how tools are added to a task and to its description of mcp_load
//	matching    which tools fit a text, and which replace them if none can fit
//	naming      which tool a name means
//	capacity    how many tools a request holds, and whether a choice is needed
//	admission   which tools a task may have
//	basis       the values on which all decisions depend
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

// basis holds the inputs of a view's decisions.
type basis struct {
	Catalog  *Catalog
	Settings *protocol.Settings
	Mode     *Mode
	Scope    *Scope
	// Usage counts the recent uses of tools in the workspace.
	Usage Usage
	// Memory holds which tools models had to fetch for messages; may be nil.
	Memory *ranker.Memory
	// Families are the families of servers that the folder suggests, strongest first.
	Families []ranker.Family

	// queryVector is a provider's vector of queryText; nil if there is none.
	queryText   string
	queryVector []float32

	// gating holds the servers' verdicts on the message of a turn; otherwise nil.
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

// comparePins orders the always-loaded tools: pinned by the user before pinned by the
// server, each by name.
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

// Usage counts recent uses by tool. It must not change once it is in a view.
type Usage map[ToolID]float64

// WithUsage returns the view with other usage counts.
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

// WithFamilies returns the view for a folder that suggests families of servers.
func (v *View) WithFamilies(families []ranker.Family) *View {
	next := *v
	next.Families = families
	return &next
}

// Unrouted returns the view with routing off, as with `searchTurns: 0`.
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

// WithQueryVector returns the view with an embedding provider's vector of a text to be
// ranked.
func (v *View) WithQueryVector(text string, vector []float32) *View {
	next := *v
	next.queryText, next.queryVector = text, vector
	return &next
}

// WithGating returns the view for one message with the servers' verdicts; nil means none.
func (v *View) WithGating(g *Gating) *View {
	if g == nil {
		return v
	}
	next := *v
	next.gating = g
	return &next
}

// Gating holds the servers' verdicts on one message. It must not change once it is in a
// view.
type Gating struct {
	// Verdicts holds all verdicts, and why some were ignored.
	Verdicts []protocol.GatingVerdict
	// Claim is the tool whose result answers the turn; nil if no server claimed the
	// message, or more than one did.
	Claim *Claim

	excluded map[ToolID]bool
}

// Claim is a tool by which a server wants to answer a message.
type Claim struct {
	Tool      *Tool
	Arguments json.RawMessage
}
