package replay

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/chats"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/daemon/history"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// identity is a tool by what its server calls it.
type identity struct{ Server, Tool string }

func (a identity) compare(b identity) int {
	return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool))
}

// known are the tools that something is known of: those that earlier runs have
// listed, and those of lists in the logs.
type known struct {
	namer *chats.Namer
	tools map[identity]protocol.HostTool
	order []identity
	// loose finds a tool by how clients write its names.
	loose map[identity]identity
	// locked are held back by the lock on tools.
	locked map[identity]bool
	// untold are servers of which no tool is known.
	untold []string
}

// knownTools returns what earlier runs have listed of the session's servers. None
// is started.
func knownTools(ctx context.Context, eo engine.Options, o *Options) (*known, error) {
	eo.Asleep = true
	e := engine.Open(eo, host.None{}, &o.Initialize)
	err := e.Settle(ctx)
	k := &known{tools: map[identity]protocol.HostTool{}, loose: map[identity]identity{}, locked: map[identity]bool{}}
	if err == nil {
		k.namer = (&chats.Naming{Servers: e.Workspace.Configuration().ServerNames()}).Namer()
		err = k.readCatalog(e)
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), o.ShutdownTime)
	defer cancel()
	return k, errors.Join(err, e.Close(end))
}

func (k *known) readCatalog(e *engine.Engine) error {
	v, err := e.Tasks.View(protocol.OwnSource, e.Modes.None())
	if err != nil {
		return err
	}
	for i := range v.Catalog.Tools {
		t := &v.Catalog.Tools[i]
		id := identity(t.Own)
		k.add(id, protocol.HostTool{Description: t.Description, InputSchema: t.Schema, Annotations: t.Annotations})
		k.locked[id] = t.Lock.Held.Kind != ""
	}
	for _, s := range v.Catalog.Servers {
		if s.First == s.End {
			k.untold = append(k.untold, s.Name)
		}
	}
	return nil
}

// add adds a tool under a name that is the same for every client.
func (k *known) add(id identity, t protocol.HostTool) {
	if _, ok := k.tools[id]; ok {
		return
	}
	t.Server, t.Tool, t.Name = id.Server, id.Tool, "mcp__"+id.Server+"__"+id.Tool
	k.tools[id] = t
	k.order = append(k.order, id)
	k.loose[loosely(id)] = id
}

// learnLists adds the tools that lists in the logs describe.
func (k *known) learnLists(l *history.Log) {
	for _, c := range l.Conversations {
		for i := range c.Turns {
			if o := c.Turns[i].Offered; o != nil && !o.Deferred {
				for _, t := range o.Tools {
					if id := k.identify(&history.Call{Name: t.Name}); id.Tool != "" && !router.IsMetaTool(id.Tool) {
						if _, ok := k.of(id); !ok {
							k.add(id, protocol.HostTool{Description: t.Description, InputSchema: t.Schema})
						}
					}
				}
			}
		}
	}
}

// identify returns the tool of an MCP server that a call is of, as the client names
// it; the zero value for one of the client's own, and for Winnow's.
func (k *known) identify(c *history.Call) identity {
	found := identity{c.Server, c.Tool}
	if found.Server == "" || found.Tool == "" {
		ids := k.namer.Identify(c.Namespace, c.Name)
		if len(ids) == 0 {
			return identity{}
		}
		found = identity(ids[0])
		for _, id := range ids { // a name that was cut may be of several servers
			if one, ok := k.of(identity(id)); ok {
				found = one
				break
			}
		}
	}
	if router.IsMetaTool(found.Tool) {
		return identity{}
	}
	return found
}

// hasAny reports whether any tool of an offer is one of an MCP server.
func (k *known) hasAny(o *history.Offer) bool {
	return slices.ContainsFunc(o.Tools, func(t history.Tool) bool { return k.identify(&history.Call{Name: t.Name}).Tool != "" })
}

// of returns a tool that is known by how a client writes it.
func (k *known) of(id identity) (identity, bool) {
	if _, ok := k.tools[id]; ok {
		return id, true
	}
	found, ok := k.loose[loosely(id)]
	return found, ok
}

// held reports whether the lock on tools holds a tool back.
func (k *known) held(id identity) bool {
	id, ok := k.of(id)
	return ok && k.locked[id]
}

// unusual are characters that clients write otherwise.
var unusual = regexp.MustCompile(`[^a-z0-9]+`)

func loosely(id identity) identity {
	return identity{unusual.ReplaceAllString(strings.ToLower(id.Server), "_"), unusual.ReplaceAllString(strings.ToLower(id.Tool), "_")}
}

// shelf is the tools that requests of a conversation could carry.
type shelf struct {
	source string
	// names are those that the engine has for them.
	names map[identity]string
	known *known
	// deferred: the client sends names, and what its model has asked for.
	deferred bool
	listed   []string
}

// shelfOf returns the tools of an offer; of nil, all that are known.
func (p *player) shelfOf(o *history.Offer) (*shelf, error) {
	s := &shelf{names: map[identity]string{}, known: p.known, deferred: o != nil && o.Deferred}
	var tools []protocol.HostTool
	add := func(id identity) {
		if s.names[id] == "" && !p.known.locked[id] {
			tools = append(tools, p.known.tools[id])
			s.names[id] = p.known.tools[id].Name
		}
	}
	if o == nil {
		for _, id := range p.known.order {
			add(id)
		}
	} else {
		for _, t := range o.Tools {
			if id, ok := p.known.of(p.known.identify(&history.Call{Name: t.Name})); ok {
				add(id)
				s.listed = append(s.listed, t.Name)
			}
		}
	}
	slices.SortFunc(tools, func(a, b protocol.HostTool) int { return cmp.Compare(a.Name, b.Name) })
	h := sha256.New()
	for i := range tools {
		h.Write([]byte(tools[i].Name + "\x00"))
	}
	key := hex.EncodeToString(h.Sum(nil)[:8])
	if s.source = p.sources[key]; s.source == "" {
		s.source = "replay/" + key
		p.sources[key] = s.source
		if _, err := p.engine.HostTools.Set(&protocol.SetHostToolsParams{Source: s.source, Tools: tools}); err != nil {
			return nil, err
		}
	}
	p.report.offered(s)
	return s, nil
}

// name returns the engine's name of a tool that the conversation has.
func (s *shelf) name(id identity) (string, bool) {
	id, ok := s.known.of(id)
	name := s.names[id]
	return name, ok && name != ""
}

// clientTools is what a client sends that has its model search: what was called, as
// nothing is called that it did not have, and the names of the others.
func (s *shelf) clientTools(called map[identity]bool) *protocol.ClientTools {
	c := &protocol.ClientTools{Groups: []protocol.ClientGroup{{
		Name: "ToolSearch", Description: strings.Join(s.listed, "\n"), InputSchema: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}}}`),
	}}}
	for id := range called {
		if name := s.names[id]; name != "" {
			c.Visible = append(c.Visible, name)
		}
	}
	slices.Sort(c.Visible)
	return c
}
