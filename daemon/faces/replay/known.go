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
	"github.com/winnow-mcp/winnow/daemon/engine/ownname"
	"github.com/winnow-mcp/winnow/daemon/history"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// identity is a tool by its server and the server's name for it.
type identity struct{ Server, Tool string }

func (a identity) compare(b identity) int {
	return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool))
}

// known holds the known tools: those listed by earlier runs, and those of lists in the
// logs.
type known struct {
	namer *chats.Namer
	tools map[identity]protocol.HostTool
	order []identity
	// prefixes maps the prefix of clients' tool names to the server, learned from calls
	// whose server is logged.
	prefixes map[string]string
	// listed maps tool names in the logs' lists to tools.
	listed map[string]identity
	// loose finds a tool by its normalized identity.
	loose map[identity]identity
	// locked holds the tools held by the lock on tools.
	locked map[identity]bool
	// untold holds the servers without known tools.
	untold []string
}

// knownTools returns the tools of the session's servers that earlier runs have listed. It
// starts no server.
func knownTools(ctx context.Context, eo engine.Options, o *Options) (*known, error) {
	eo.Asleep = true
	e := engine.Open(eo, host.None{}, &o.Initialize)
	err := e.Settle(ctx)
	k := &known{tools: map[identity]protocol.HostTool{}, loose: map[identity]identity{}, listed: map[string]identity{}, prefixes: map[string]string{}, locked: map[identity]bool{}}
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

// add adds a tool under a name that does not depend on the client.
func (k *known) add(id identity, t protocol.HostTool) {
	if _, ok := k.tools[id]; ok {
		return
	}
	t.Server, t.Tool, t.Name = id.Server, id.Tool, "mcp__"+id.Server+"__"+id.Tool
	k.tools[id] = t
	k.order = append(k.order, id)
	k.loose[loosely(id)] = id
}

// learnLists adds the tools of lists in the logs and those of a host.
func (k *known) learnLists(l *history.Log, host []history.Tool) {
	for c := range l.Calls() {
		if before, ok := strings.CutSuffix(c.Name, c.Tool); ok && c.Server != "" && c.Tool != "" {
			k.prefixes[before] = c.Server
		}
	}
	for _, c := range l.Conversations {
		for i := range c.Turns {
			if o := c.Turns[i].Offered; o != nil && !o.Deferred {
				k.learn(o.Tools)
			}
		}
	}
	k.learn(slices.DeleteFunc(slices.Clone(host), func(t history.Tool) bool { return !strings.HasPrefix(t.Name, "mcp_") })) // a host has other tools too
}

// learn adds the tools of a list. VS Code truncates the server's own name in tool names:
// the whole list shows where it ends, and the tools show which known server it is.
func (k *known) learn(tools []history.Tool) {
	tools = slices.DeleteFunc(slices.Clone(tools), func(t history.Tool) bool { // Winnow's own tools, from a server of VS Code
		return router.IsMetaTool(t.Name[strings.LastIndex(t.Name, "_mcp_")+1:])
	})
	var cut []string
	for _, t := range tools {
		if id, ok := k.referred(t.Reference); ok {
			k.listed[t.Name] = id
			continue
		}
		for before, server := range k.prefixes {
			if tool, ok := strings.CutPrefix(t.Name, before); ok && before != "" && tool != "" {
				k.listed[t.Name] = identity{server, tool}
			}
		}
		if strings.HasPrefix(t.Name, "mcp_") && !strings.HasPrefix(t.Name, "mcp__") && k.listed[t.Name] == (identity{}) {
			cut = append(cut, t.Name)
		}
	}
	servers := map[string][]identity{}
	for i, found := range ownname.Find(ownname.Unknown, cut) {
		id := identity(found)
		k.listed[cut[i]] = id
		servers[id.Server] = append(servers[id.Server], id)
	}
	as := map[string]string{}
	for server, all := range servers {
		as[server] = cmp.Or(k.knownAs(all), server)
	}
	for _, name := range cut {
		id := k.listed[name]
		k.listed[name] = identity{as[id.Server], id.Tool}
	}
	for _, t := range tools {
		id := k.identify(&history.Call{Name: t.Name})
		if _, ok := k.of(id); id.Tool != "" && !ok {
			k.add(id, protocol.HostTool{Description: t.Description, InputSchema: t.Schema})
		}
	}
}

// referred returns the tool of VS Code's reference to it, which spells the server's name
// in its own way.
func (k *known) referred(reference string) (identity, bool) {
	slash := strings.LastIndexByte(reference, '/') // a server's name may contain one, a tool's hardly does
	if slash <= 0 {
		return identity{}, false
	}
	id := identity{reference[:slash], reference[slash+1:]}
	for _, name := range slices.Concat(k.servers(), k.untold) {
		if loosely(identity{Server: name}) == loosely(identity{Server: id.Server}) {
			id.Server = name
			break
		}
	}
	return id, true
}

// knownAs returns the only server that has at least 80 % of the tools, because another
// version may have others. It returns "" for none and for several.
func (k *known) knownAs(tools []identity) string {
	const nearly = 0.8
	as := ""
	for _, server := range k.servers() {
		has := 0
		for _, id := range tools {
			if _, ok := k.of(identity{server, id.Tool}); ok {
				has++
			}
		}
		if float64(has) < nearly*float64(len(tools)) {
			continue
		}
		if as != "" {
			return ""
		}
		as = server
	}
	return as
}

// servers returns the servers with known tools.
func (k *known) servers() []string {
	var names []string
	for _, id := range k.order {
		names = append(names, id.Server)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// identify returns the MCP tool of a call. It returns the zero value for tools of the
// client and for Winnow's.
func (k *known) identify(c *history.Call) identity {
	found := identity{c.Server, c.Tool}
	if _, ok := k.of(found); !ok && k.listed[c.Name] != (identity{}) {
		return k.listed[c.Name]
	}
	if found.Server == "" || found.Tool == "" {
		ids := k.namer.Identify(c.Namespace, c.Name)
		if len(ids) == 0 {
			return identity{}
		}
		found = identity(ids[0])
		for _, id := range ids { // a truncated name may be of several servers
			if one, ok := k.of(identity(id)); ok {
				found = one
				break
			}
		}
	}
	if router.IsMetaTool(found.Tool) {
		return identity{}
	}
	if strings.EqualFold(found.Server, gatewayName) {
		return k.behindGateway(found)
	}
	return found
}

// gatewayName is the name of Winnow as an MCP server in clients.
const gatewayName = "winnow"

// behindGateway returns the tool that Winnow has passed on, by its own name or with its
// server's as a prefix. If several match, it returns id.
func (k *known) behindGateway(id identity) identity {
	var found []identity
	said := loosely(id).Tool
	for _, one := range k.order {
		if plain := loosely(one); said == plain.Tool || said == plain.Server+"_"+plain.Tool {
			found = append(found, one)
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return id
}

// hasAny reports whether an offer contains an MCP tool.
func (k *known) hasAny(o *history.Offer) bool {
	return slices.ContainsFunc(o.Tools, func(t history.Tool) bool { return k.identify(&history.Call{Name: t.Name}).Tool != "" })
}

// of returns the known tool for a client's spelling.
func (k *known) of(id identity) (identity, bool) {
	if _, ok := k.tools[id]; ok {
		return id, true
	}
	found, ok := k.loose[loosely(id)]
	return found, ok
}

// held reports whether the lock on tools holds a tool.
func (k *known) held(id identity) bool {
	id, ok := k.of(id)
	return ok && k.locked[id]
}

// unusual matches characters that clients replace.
var unusual = regexp.MustCompile(`[^a-z0-9]+`)

func loosely(id identity) identity {
	return identity{unusual.ReplaceAllString(strings.ToLower(id.Server), "_"), unusual.ReplaceAllString(strings.ToLower(id.Tool), "_")}
}

// shelf is the set of tools that requests of a conversation could carry.
type shelf struct {
	source string
	// names maps the tools to the engine's names.
	names map[identity]string
	known *known
	// offer is the client's offer if it hides tools; nil if the client sends all.
	offer *history.Offer
}

// shelfOf returns the tools of an offer; for nil, all known tools.
func (p *player) shelfOf(o *history.Offer) (*shelf, error) {
	s := &shelf{names: map[identity]string{}, known: p.known}
	if o != nil && (o.Deferred || o.Groups) {
		s.offer = o
	}
	var tools []protocol.HostTool
	add := func(id identity) {
		if s.names[id] == "" && !p.known.locked[id] {
			tools = append(tools, p.known.tools[id])
			s.names[id] = p.known.tools[id].Name
		}
	}
	if o == nil || o.Groups { // the tools behind groups are not logged
		for _, id := range p.known.order {
			add(id)
		}
	} else {
		for _, t := range o.Tools {
			if id, ok := p.known.of(p.known.identify(&history.Call{Name: t.Name})); ok {
				add(id)
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
	return s, nil
}

// name returns the engine's name of a tool of the conversation.
func (s *shelf) name(id identity) (string, bool) {
	id, ok := s.known.of(id)
	name := s.names[id]
	return name, ok && name != ""
}

// clientTools returns what a client that hides tools sends: the listed tools with the
// groups; or, if deferred, names and the tools called so far, which the model must have
// had.
func (s *shelf) clientTools(called map[identity]bool) *protocol.ClientTools {
	c := &protocol.ClientTools{}
	visible := map[identity]bool{}
	if s.offer.Deferred {
		visible = called
		var names []string
		for _, t := range s.offer.Tools {
			if s.known.identify(&history.Call{Name: t.Name}).Tool != "" {
				names = append(names, t.Name)
			}
		}
		c.Groups = []protocol.ClientGroup{{
			Name: "ToolSearch", Description: strings.Join(names, "\n"), InputSchema: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}}}`),
		}}
	} else {
		for _, t := range s.offer.Tools {
			if strings.HasPrefix(t.Name, history.GroupPrefix) {
				c.Groups = append(c.Groups, protocol.ClientGroup{Name: t.Name, Description: t.Description, InputSchema: t.Schema})
			} else if id, ok := s.known.of(s.known.identify(&history.Call{Name: t.Name})); ok {
				visible[id] = true
			}
		}
	}
	for id := range visible {
		if name := s.names[id]; name != "" {
			c.Visible = append(c.Visible, name)
		}
	}
	slices.Sort(c.Visible)
	return c
}
