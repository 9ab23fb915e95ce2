package router

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/ranker"
	"github.com/winnow-mcp/winnow/ranker/bank"
)

// Policy is what the user decided about one server's tools.
type Policy struct {
	// Disabled switches the whole server off.
	Disabled bool
	// OnlyAllow, when not empty, admits only these tools and makes
	// DisabledTools moot.
	OnlyAllow     []string
	DisabledTools []string
	// Further are rules of other files; a tool is in scope where all admit it.
	Further []ToolRule
	// Overrides maps a tool's name to the description that models get.
	Overrides map[string]string
	// AlwaysLoad pins every tool of the server, AlwaysLoadTools only these.
	AlwaysLoad      bool
	AlwaysLoadTools []string
}

// ToolRule says which tools are in scope, as OnlyAllow and DisabledTools of a
// [Policy] do.
type ToolRule struct{ OnlyAllow, DisabledTools []string }

// Named returns the policy for tools that a host knows by other names than
// their server does: names maps the server's to the host's. A tool may be
// named either way.
func (p Policy) Named(names map[string]string) Policy {
	if len(names) == 0 {
		return p
	}
	p.OnlyAllow = hostNames(p.OnlyAllow, names)
	p.DisabledTools = hostNames(p.DisabledTools, names)
	p.Further = slices.Clone(p.Further)
	for i, r := range p.Further {
		p.Further[i] = ToolRule{hostNames(r.OnlyAllow, names), hostNames(r.DisabledTools, names)}
	}
	p.AlwaysLoadTools = hostNames(p.AlwaysLoadTools, names)
	if len(p.Overrides) > 0 {
		overrides := make(map[string]string, len(p.Overrides))
		for tool, text := range p.Overrides {
			overrides[hostName(tool, names)] = text
		}
		p.Overrides = overrides
	}
	return p
}

func hostNames(tools []string, names map[string]string) []string {
	named := make([]string, len(tools))
	for i, tool := range tools {
		named[i] = hostName(tool, names)
	}
	return named
}

// longestName is the most characters that clients give a tool: longer names are
// cut there.
const longestName = 64

// hostName returns a host's name of a tool. A client that does not know the
// server's own spelling has replaced what its provider refuses in names, or has
// cut the end.
func hostName(tool string, names map[string]string) string {
	if name, ok := names[tool]; ok {
		return name
	}
	plain := namedPlainly(tool)
	if name, ok := names[plain]; ok {
		return name
	}
	for known, name := range names {
		if len(name) >= longestName && strings.HasPrefix(plain, known) {
			return name
		}
	}
	return tool
}

// namedPlainly replaces the characters that providers refuse in names.
func namedPlainly(tool string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, tool)
}

// ServerInput is one server of a catalogue to build.
type ServerInput struct {
	Name   string
	Policy Policy
	// HostNames maps the server's own names of its tools to the host's, where
	// the host knows them.
	HostNames map[string]string
	// OwnNames maps the host's names of tools to the servers' own, with the server
	// as it is called itself; a tool that it lacks is called as its host does.
	OwnNames map[string]ToolID
	// Unavailable says why the server cannot be called now; empty when it can.
	Unavailable string
	// Stopped: the user has stopped the server, so its tools are out of scope.
	Stopped bool
	// Own: the daemon runs the server, and a host's list has it besides. Its tools
	// are presented as mcp__server__tool, also where the host's names are verbatim.
	Own bool
	// BuiltIn: they are the host's own tools and no server's. No rule of a mode or
	// of a server is about them, and a task that has some is routed however few
	// tools there are.
	BuiltIn bool
	// About is what the server says it is for, of any length; may be empty.
	About string
	// Tools holds each tool as the server sent it, an MCP Tool object.
	Tools []json.RawMessage
	// Warnings says which of the server's tools are not in Tools, or not as it
	// sent them, and why.
	Warnings []string
	// Locks says what the lock on tools has to say of them, by their names: one
	// that it does not name is held back. Nil says nothing of any.
	Locks map[string]ToolLock
	// Changes counts what the server changed and the user has not answered.
	Changes int
	// Content names all that the server says, for answers about it.
	Content string
}

// ToolLock is what the lock says of a tool. The zero value says nothing: the
// tool may be used, and nobody vouches for it.
type ToolLock struct {
	// State is for people; empty while the lock is off.
	State protocol.LockState
	// Held keeps the tool out of scope; the zero cause does not.
	Held protocol.Cause
	// Vouched: a person has approved of the tool as it is, so that what its
	// server says of the harm it does counts.
	Vouched bool
	// Asks: `alwaysAllow` was given for another content, and does not count.
	Asks bool
	// Content names what the server says of the tool, for answers about it.
	Content string
	// Findings are what a person should look at.
	Findings []protocol.Finding
}

// CatalogInput is what a catalogue is built from.
type CatalogInput struct {
	Version int64
	Source  string
	// Verbatim presents each tool under its own name, unchanged: the names
	// are the host's. A tool whose name cannot be distinguished from another's, or
	// from one of Winnow's own, is left out with a warning.
	Verbatim bool
	// Qualified presents each tool as mcp__server__tool.
	Qualified bool
	// Taken are names of tools that are not in the catalogue: none of it is presented
	// under one of them.
	Taken []string
	// Servers are in the order in which they are shown.
	Servers []ServerInput
	// Embedder is the built-in model for ranking by meaning; nil ranks by words
	// alone.
	Embedder ranker.Embedder
	// Phrasings is what people say when they need a tool; nil knows nothing.
	Phrasings *bank.Bank
	// Count returns the tokens of a text.
	Count func(text string) int
}

// Catalog is one immutable version of a source's servers and tools. It is safe
// for concurrent use.
type Catalog struct {
	Version int64
	Source  string
	Servers []Server
	// Tools are in the order of Servers, and of each server's own list.
	Tools []Tool

	verbatim bool
	byID     map[ToolID]int
	byName   map[string]int
	corpus   *ranker.Corpus
	// aliases and fillOrder are built at their first use.
	aliases   func() map[string]int
	fillOrder func() []int
	// presentations are what models get of each tool, made at its first use.
	presentations []presentations
	// metaTokens counts the cost of Winnow's own tools, each once.
	metaTokens *metaCounter
}

// presentations are what models get of a tool: with all that its server says, and
// short.
type presentations struct{ whole, short atomic.Pointer[presentation] }

// presentation is what models get of a tool.
type presentation struct {
	description string
	schema      json.RawMessage
	tokens      int
}

// Server is one server of a catalogue.
type Server struct {
	Name        string
	Policy      Policy
	Unavailable string
	Stopped     bool
	Own         bool
	BuiltIn     bool
	About       string
	// OffersGating: the server wants to be asked about each message, by GatingName.
	OffersGating bool
	// Changes counts what the server changed and the user has not answered.
	Changes int
	// Content names all that the server says, for answers about it.
	Content string
	// First and End bound the server's tools in Catalog.Tools.
	First, End int
	// Warnings says which of its tools were left out, and why.
	Warnings []string
}

// Tool is one tool of a catalogue.
type Tool struct {
	ID ToolID
	// Own is what its server calls the tool, whatever a host calls both: what it is
	// ranked, looked up and explained by.
	Own ToolID
	// Server is the ordinal in Catalog.Servers.
	Server int
	// Name is the name that models get.
	Name string
	// Override is the user's description; empty keeps the server's.
	Override string
	// Tokens is the cost of the presented JSON.
	Tokens int
	// AlwaysLoad: the tool is attached to each task from the start, because
	// the user pinned it or its server asks for it.
	AlwaysLoad bool
	// Pinned: the user pinned it, by the policy of its server.
	Pinned bool
	Lock   ToolLock
	Definition
}

// OnlyReads reports whether a call may do without a question because it changes
// nothing: the server says so, and a person vouches for what it says.
func (t *Tool) OnlyReads() bool { return t.ReadOnly == ranker.Yes && t.Lock.Vouched }

// Text returns the description that a model gets.
func (t *Tool) Text() string {
	if t.Override != "" {
		return t.Override
	}
	return t.Description
}

// document is the tool as the ranker sees it. A user's description is searched
// in place of the server's: the user wrote it to say what the tool is for. It has
// its server's names, so that the same tools are ranked alike under every host's.
func (t *Tool) document() ranker.Document {
	return ranker.Document{
		ID:          t.ID.key(),
		Server:      t.Own.Server,
		Name:        t.Own.Tool,
		Title:       t.Title,
		Description: t.Text(),
		Parameters:  t.Parameters,
		ReadOnly:    t.ReadOnly,
		Destructive: t.Destructive,
	}
}

// Lookup returns the ordinal of a tool, or false.
func (c *Catalog) Lookup(id ToolID) (int, bool) {
	i, ok := c.byID[id]
	return i, ok
}

// tool returns a tool by identity, or nil. It may be called on a nil catalogue.
func (c *Catalog) tool(id ToolID) *Tool {
	if c == nil {
		return nil
	}
	if i, ok := c.byID[id]; ok {
		return &c.Tools[i]
	}
	return nil
}

// IsOwn reports whether the daemon runs a tool of a host's list.
func (c *Catalog) IsOwn(tool int) bool { return c.Servers[c.Tools[tool].Server].Own }

// isBuiltIn reports whether a tool is one of the host's own.
func (c *Catalog) isBuiltIn(tool int) bool { return c.Servers[c.Tools[tool].Server].BuiltIn }

// hasBuiltIn reports whether tools of the host's own are chosen among the others.
func (c *Catalog) hasBuiltIn() bool {
	return slices.ContainsFunc(c.Servers, func(s Server) bool { return s.BuiltIn })
}

// HasOwn reports whether there may be a tool that the daemon runs: in its own list,
// and in a host's that has one of its servers besides.
func (c *Catalog) HasOwn() bool {
	return !c.verbatim || slices.ContainsFunc(c.Servers, func(s Server) bool { return s.Own })
}

// ProviderTexts returns the text of each tool for an embedding provider, by
// ordinal.
func (c *Catalog) ProviderTexts() []string {
	texts := make([]string, len(c.Tools))
	for i := range c.Tools {
		document := c.Tools[i].document()
		texts[i] = document.ProviderText()
	}
	return texts
}

// WithVectors returns the same version, ranked also by the vectors of an
// embedding provider's model: one for each tool by ordinal, nil where there is
// none.
func (c *Catalog) WithVectors(model string, vectors [][]float32) (*Catalog, error) {
	corpus, err := c.corpus.WithVectors(model, vectors)
	if err != nil {
		return nil, fmt.Errorf("catalogue version %d: %w", c.Version, err)
	}
	next := *c
	next.corpus = corpus
	return &next, nil
}

// VectorModel is the model of [Catalog.WithVectors], or of that of the version
// before for the tools that both have; empty without one.
func (c *Catalog) VectorModel() string { return c.corpus.VectorModel() }
