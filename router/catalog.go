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

// Policy holds the user's decisions about one server's tools.
type Policy struct {
	// Disabled switches the whole server off.
	Disabled bool
	// OnlyAllow, when not empty, admits only these tools and overrides DisabledTools.
	OnlyAllow     []string
	DisabledTools []string
	// Further holds the rules of other files. A tool is in scope if all rules admit it.
	Further []ToolRule
	// Overrides maps a tool's name to the description that replaces the server's.
	Overrides map[string]string
	// AlwaysLoad pins every tool of the server; AlwaysLoadTools pins only these.
	AlwaysLoad      bool
	AlwaysLoadTools []string
}

// ToolRule says which tools are in scope, as OnlyAllow and DisabledTools of [Policy] do.
type ToolRule struct{ OnlyAllow, DisabledTools []string }

// Named returns the policy with tool names replaced by the host's. names maps the
// server's names to the host's. The policy may use either.
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

// longestName is the length in bytes at which clients cut a tool's name.
const longestName = 64

// hostName returns the host's name of a tool. It also matches a name in which characters
// that providers refuse were replaced, or whose end was cut.
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
	// HostNames maps the server's names of its tools to the host's, where they are known.
	HostNames map[string]string
	// OwnNames maps the host's names of tools to the servers' own identities. A tool that
	// is not in it has the same name in both.
	OwnNames map[string]ToolID
	// Unavailable says why the server cannot be called now; empty when it can.
	Unavailable string
	// Stopped: the user has stopped the server, so its tools are out of scope.
	Stopped bool
	// Own reports that the daemon runs the server and a host's list also has it. Its
	// tools are presented as mcp__server__tool, even if the host's names are verbatim.
	Own bool
	// BuiltIn reports that the tools are the host's own and no server's. No rule of a
	// mode or a server applies to them. A task that has any is routed however few tools
	// there are.
	BuiltIn bool
	// About is the server's description of itself, of any length; may be empty.
	About string
	// Tools holds each tool as the server sent it, an MCP Tool object.
	Tools []json.RawMessage
	// Warnings says which of the server's tools are missing from Tools or were altered,
	// and why.
	Warnings []string
	// Locks maps a tool's name to its lock state; a tool not in it is held back. If Locks
	// is nil, no tool is locked.
	Locks map[string]ToolLock
	// Changes counts the server's changes that the user has not accepted or refused.
	Changes int
	// ResourcesHeld reports that its resources are held back until the user approves them.
	ResourcesHeld bool
	// Content identifies all that the server says, for answers about it.
	Content string
}

// ToolLock is the lock's state of one tool. With the zero value the tool may be used, and
// nobody has approved it.
type ToolLock struct {
	// State is for display; empty while the lock is off.
	State protocol.LockState
	// Held is the cause that keeps the tool out of scope; zero if it is not held.
	Held protocol.Cause
	// Vouched reports that a person has approved the tool as it is, so its server's
	// annotations about harm are trusted.
	Vouched bool
	// Asks reports that `alwaysAllow` was given for other content and does not apply.
	Asks bool
	// Content identifies what the server says of the tool, for answers about it.
	Content string
	// Findings are what a person should review.
	Findings []protocol.Finding
}

// CatalogInput is what a catalogue is built from.
type CatalogInput struct {
	Version int64
	Source  string
	// Verbatim presents each tool under its own name, unchanged, because the names are
	// the host's. A tool whose name equals another's or one of Winnow's own is left out
	// with a warning.
	Verbatim bool
	// Qualified presents each tool as mcp__server__tool.
	Qualified bool
	// Taken holds names of tools outside the catalogue. No tool is presented under one of
	// them.
	Taken []string
	// Servers are in display order.
	Servers []ServerInput
	// Embedder is the built-in model for ranking by meaning; nil ranks by words alone.
	Embedder ranker.Embedder
	// Phrasings holds what people say when they need a tool; may be nil.
	Phrasings *bank.Bank
	// Count returns the tokens of a text.
	Count func(text string) int
}

// Catalog is one version of a source's servers and tools. It is immutable and safe for
// concurrent use.
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
	// aliases and fillOrder are built on first use.
	aliases   func() map[string]int
	fillOrder func() []int
	// presentations holds what models get of each tool, built on first use.
	presentations []presentations
	// metaTokens counts the cost of Winnow's own tools and caches it.
	metaTokens *metaCounter
}

// presentations holds what models get of a tool: whole, and shortened.
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
	// OffersGating reports that the server wants a call of GatingName for each message.
	OffersGating bool
	// Changes counts the server's changes that the user has not accepted or refused.
	Changes int
	// ResourcesHeld reports that its resources are held back until the user approves them.
	ResourcesHeld bool
	// Content identifies all that the server says, for answers about it.
	Content string
	// First and End bound the server's tools in Catalog.Tools.
	First, End int
	// Warnings says which of its tools were left out or altered, and why.
	Warnings []string
}

// Tool is one tool of a catalogue.
type Tool struct {
	ID ToolID
	// Own is the server's own identity of the tool, whatever the host's. The tool is
	// ranked, looked up and explained by it.
	Own ToolID
	// Server is the ordinal in Catalog.Servers.
	Server int
	// Name is the name that models get.
	Name string
	// Override is the user's description; empty keeps the server's.
	Override string
	// Tokens is the cost of the presented JSON.
	Tokens int
	// AlwaysLoad reports that the tool is attached to each task from the start, because
	// the user pinned it or its server requests it.
	AlwaysLoad bool
	// Pinned reports that the user pinned the tool in the policy of its server.
	Pinned bool
	Lock   ToolLock
	Definition
}

// OnlyReads reports whether a call needs no confirmation because it changes nothing: the
// server says so, and a person has approved the tool.
func (t *Tool) OnlyReads() bool { return t.ReadOnly == ranker.Yes && t.Lock.Vouched }

// Text returns the description that a model gets.
func (t *Tool) Text() string {
	if t.Override != "" {
		return t.Override
	}
	return t.Description
}

// document returns the tool as the ranker sees it. A user's description replaces the
// server's, because the user wrote it to say what the tool is for. It uses the server's
// own names, so that tools rank alike under every host.
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

// Lookup returns the ordinal of a tool, and whether it exists.
func (c *Catalog) Lookup(id ToolID) (int, bool) {
	i, ok := c.byID[id]
	return i, ok
}

// tool returns a tool by identity, or nil. c may be nil.
func (c *Catalog) tool(id ToolID) *Tool {
	if c == nil {
		return nil
	}
	if i, ok := c.byID[id]; ok {
		return &c.Tools[i]
	}
	return nil
}

// IsOwn reports whether a tool of a host's list belongs to a server that the daemon runs.
// It is false in the daemon's own list; see [Catalog.HasOwn].
func (c *Catalog) IsOwn(tool int) bool { return c.Servers[c.Tools[tool].Server].Own }

// isBuiltIn reports whether a tool is one of the host's built-in tools.
func (c *Catalog) isBuiltIn(tool int) bool { return c.Servers[c.Tools[tool].Server].BuiltIn }

// hasBuiltIn reports whether the catalogue has built-in tools of the host.
func (c *Catalog) hasBuiltIn() bool {
	return slices.ContainsFunc(c.Servers, func(s Server) bool { return s.BuiltIn })
}

// HasOwn reports whether there may be a tool that the daemon runs: always in its own
// list, and in a host's list that also has one of its servers.
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

// WithVectors returns the same version, also ranked by the vectors of an embedding
// provider's model. vectors holds one vector per tool ordinal, nil if there is none.
func (c *Catalog) WithVectors(model string, vectors [][]float32) (*Catalog, error) {
	corpus, err := c.corpus.WithVectors(model, vectors)
	if err != nil {
		return nil, fmt.Errorf("catalogue version %d: %w", c.Version, err)
	}
	next := *c
	next.corpus = corpus
	return &next, nil
}

// Prepare builds what the first task needs of a catalogue besides its list, until stop
// returns true. It is not necessary: a task builds what is missing.
func (c *Catalog) Prepare(stop func() bool) {
	c.corpus.Prepare(stop)
	if !stop() {
		c.aliases()
		c.fillOrder()
	}
}

// VectorModel returns the model of [Catalog.WithVectors], or that of the previous version
// for the tools that both have. It is empty if there is none.
func (c *Catalog) VectorModel() string { return c.corpus.VectorModel() }
