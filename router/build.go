package router

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/protocol/spelling"
	"github.com/winnow-mcp/winnow/ranker"
)

// maxServerPins is the most of its own tools that a server may pin by their _meta. Known
// servers pin one or two; one that pinned a hundred would fill every request.
const maxServerPins = 10

// BuildCatalog builds one version of a catalogue. It reuses prev's work for unchanged
// tools, so a change of one server costs only that server. prev may be nil. A tool that
// cannot be read is left out with a warning.
func BuildCatalog(in CatalogInput, prev *Catalog) *Catalog {
	b := newBuilder(&in, prev)
	for i := range in.Servers {
		b.addServer(&in.Servers[i])
	}
	c := b.c
	c.name(in.Qualified, in.Taken)
	c.count(in.Count, prev)
	c.index(&in, prev)
	c.aliases = sync.OnceValue(c.buildAliases)
	c.fillOrder = sync.OnceValue(c.buildFillOrder)
	c.presentations = make([]presentations, len(c.Tools))
	c.metaTokens = &metaCounter{count: in.Count}
	return c
}

// builder collects the tools of one catalogue version.
type builder struct {
	c    *Catalog
	prev *Catalog
	// before maps a server's name to its entry in prev.
	before map[string]*Server
	// names holds the host's tool names added so far.
	names map[string]bool
}

func newBuilder(in *CatalogInput, prev *Catalog) *builder {
	n := 0
	for i := range in.Servers {
		n += len(in.Servers[i].Tools)
	}
	b := &builder{
		c: &Catalog{
			Version:  in.Version,
			Source:   in.Source,
			Servers:  make([]Server, 0, len(in.Servers)),
			Tools:    make([]Tool, 0, n),
			verbatim: in.Verbatim,
			byID:     make(map[ToolID]int, n),
		},
		prev:   prev,
		before: map[string]*Server{},
		names:  map[string]bool{},
	}
	if prev != nil {
		for i := range prev.Servers {
			b.before[prev.Servers[i].Name] = &prev.Servers[i]
		}
	}
	return b
}

func (b *builder) addServer(in *ServerInput) {
	s := Server{
		Name: in.Name, Policy: in.Policy, Unavailable: in.Unavailable, Stopped: in.Stopped, Own: in.Own, BuiltIn: in.BuiltIn, About: in.About, Changes: in.Changes, ResourcesHeld: in.ResourcesHeld, Content: in.Content, First: len(b.c.Tools),
		Warnings: slices.Clip(in.Warnings),
	}
	pins := 0
	for i, raw := range in.Tools {
		def, err := b.definition(in.Name, i, raw)
		if err != nil {
			s.warn("tool %d is left out: %v", i+1, err)
			continue
		}
		if def.Name == GatingName {
			s.OffersGating = in.lock(def.Name).Held.Kind == ""
			continue
		}
		if b.c.verbatim && !in.Own && strings.HasSuffix(def.Name, GatingName) {
			continue // the host's name of it; it is no tool for models, and only the host could ask it
		}
		id := ToolID{Server: in.Name, Tool: def.Name}
		if why := b.unfit(id, in.Own); why != "" {
			s.warn("tool %q %s", def.Name, why)
			continue
		}
		asks := def.AsksAlwaysLoad
		if asks {
			pins++
		}
		pinned := in.Policy.pins(def.Name)
		b.names[def.Name] = b.names[def.Name] || !in.Own
		b.c.byID[id] = len(b.c.Tools)
		b.c.Tools = append(b.c.Tools, Tool{
			ID:         id,
			Own:        in.own(id),
			Server:     len(b.c.Servers),
			Override:   in.Policy.Overrides[def.Name],
			Pinned:     pinned,
			AlwaysLoad: pinned || asks && pins <= maxServerPins,
			Lock:       in.lock(def.Name),
			Definition: def,
		})
	}
	if pins > maxServerPins {
		s.warn("it asks to always load %d of its tools; only the first %d are, unless you pin them by alwaysLoad",
			pins, maxServerPins)
	}
	if s.End = len(b.c.Tools); len(in.Tools) > 0 {
		b.checkPolicy(&s, in)
	}
	b.c.Servers = append(b.c.Servers, s)
}

// unfit returns why a tool cannot be listed with those before it, or "" if it can.
func (b *builder) unfit(id ToolID, own bool) string {
	if _, twice := b.c.byID[id]; twice {
		return "is listed twice; the first one counts"
	}
	if !b.c.verbatim || own {
		return ""
	}
	if IsMetaTool(id.Tool) {
		return "is left out: the name is one of Winnow's own"
	}
	if b.names[id.Tool] {
		return "is left out: a tool of another server has the same name"
	}
	return ""
}

// own returns the server's own identity of a tool.
func (in *ServerInput) own(id ToolID) ToolID {
	if own, ok := in.OwnNames[id.Tool]; ok {
		return own
	}
	return id
}

// lock returns the lock's state for a tool. If the server's tools are locked and this one
// is not listed, it is held back, because its content has not been checked.
func (in *ServerInput) lock(tool string) ToolLock {
	said, known := in.Locks[tool]
	if in.Locks != nil && !known {
		return ToolLock{
			State: protocol.LockUnlisted, Asks: true,
			Held: protocol.Cause{Kind: protocol.CauseUnlisted, Owner: in.Name, Key: lockSetting},
		}
	}
	return said
}

// lockSetting is the setting that switches the lock on tools.
const lockSetting = "winnow.lock"

func (s *Server) warn(format string, args ...any) {
	s.Warnings = append(s.Warnings, fmt.Sprintf(format, args...))
}

func (p *Policy) pins(tool string) bool {
	return p.AlwaysLoad || slices.Contains(p.AlwaysLoadTools, tool)
}

// definition parses raw, or reuses prev's result for the same bytes. It looks at the same
// place first.
func (b *builder) definition(server string, place int, raw json.RawMessage) (Definition, error) {
	if s := b.before[server]; s != nil {
		tools := b.prev.Tools[s.First:s.End]
		if place < len(tools) && bytes.Equal(tools[place].Raw, raw) {
			return tools[place].Definition, nil
		}
		for i := range tools {
			if bytes.Equal(tools[i].Raw, raw) {
				return tools[i].Definition, nil
			}
		}
	}
	return parseDefinition(raw)
}

// count sets the token count of each tool, and recounts only what has changed. Counting
// is most of the work with a new list, so all processors share it.
func (c *Catalog) count(count func(string) int, prev *Catalog) {
	one := func(t *Tool) {
		if old := prev.tool(t.ID); old != nil && old.Name == t.Name && old.Text() == t.Text() &&
			bytes.Equal(old.Schema, t.Schema) {
			t.Tokens = old.Tokens
			return
		}
		t.Tokens = count(string(PresentedJSON(t.Name, t.Text(), t.Schema)))
	}
	const share = 64
	var workers sync.WaitGroup
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), (len(c.Tools)+share-1)/share) {
		workers.Go(func() {
			for from := int(next.Add(share)) - share; from < len(c.Tools); from = int(next.Add(share)) - share {
				for i := range c.Tools[from:min(from+share, len(c.Tools))] {
					one(&c.Tools[from+i])
				}
			}
		})
	}
	workers.Wait()
}

func (c *Catalog) index(in *CatalogInput, prev *Catalog) {
	docs := make([]ranker.Document, len(c.Tools))
	for i := range c.Tools {
		docs[i] = c.Tools[i].document()
	}
	var before *ranker.Corpus
	if prev != nil {
		before = prev.corpus
	}
	c.corpus = ranker.NewCorpus(docs, before, ranker.WithEmbedder(in.Embedder), ranker.WithBank(in.Phrasings))
}

// checkPolicy warns of names in a server's policy that match none of its tools.
func (b *builder) checkPolicy(s *Server, in *ServerInput) {
	type rule struct {
		key   string
		names []string
	}
	rules := []rule{
		{"onlyAllow", in.Policy.OnlyAllow}, {"disabledTools", in.Policy.DisabledTools}, {"alwaysLoad", in.Policy.AlwaysLoadTools},
		{"toolDescriptionOverrides", slices.Sorted(maps.Keys(in.Policy.Overrides))},
	}
	for _, further := range in.Policy.Further {
		rules = append(rules, rule{"onlyAllow", further.OnlyAllow}, rule{"disabledTools", further.DisabledTools})
	}
	for _, rule := range rules {
		for _, name := range rule.names {
			if _, ok := b.c.byID[ToolID{Server: in.Name, Tool: name}]; ok || name == GatingName {
				continue
			}
			meant := ""
			if near := b.nearest(s, name); near != "" {
				meant = fmt.Sprintf("; did you mean %q?", near)
			}
			s.warn("%s names %q, which the server does not offer%s", rule.key, name, meant)
		}
	}
}

// nearest returns the server's tool that name is a misspelling of, or "" if there is none.
func (b *builder) nearest(s *Server, name string) string {
	best, fewest := "", 0
	for i := s.First; i < len(b.c.Tools); i++ {
		tool := b.c.Tools[i].ID.Tool
		if slips, meant := spelling.Slips(foldName(name), foldName(tool)); meant && (best == "" || slips < fewest) {
			best, fewest = tool, slips
		}
	}
	return best
}

// buildFillOrder returns the first tool of each server, then the second ones,
// and so on.
func (c *Catalog) buildFillOrder() []int {
	order := make([]int, len(c.Tools))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(
			cmp.Compare(c.row(a), c.row(b)),
			strings.Compare(c.Tools[a].ID.Server, c.Tools[b].ID.Server),
			cmp.Compare(a, b))
	})
	return order
}

// row is a tool's place in its server's list.
func (c *Catalog) row(tool int) int {
	return tool - c.Servers[c.Tools[tool].Server].First
}
