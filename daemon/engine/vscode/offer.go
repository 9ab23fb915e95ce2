package vscode

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/engine/chats"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

const (
	// groupPrefix begins the names of the tools behind which VS Code's agent hides
	// groups of others.
	groupPrefix = "activate_"
	// activated is what a group answers when it is called, before the names.
	activated = "Tools activated:"
	// maxOpenRounds is how often one message asks VS Code what its groups hide;
	// groups may nest.
	maxOpenRounds = 3
	// maxOffers is how many lists of tools of requests are known at a time. A chat
	// has one for as long as nothing is opened or switched off.
	maxOffers = 8
)

func isGroup(name string) bool { return strings.HasPrefix(name, groupPrefix) }

// offer is what a request offers: its tools, and the places of each kind. Nothing
// of it changes but names.
type offer struct {
	tools     []protocol.RequestTool
	allListed bool
	list      *listing
	// native are the host's own, which pass as they are; groups stand for tools
	// that are hidden.
	native, mcp, groups []int
	// places are those of mcp, by name.
	places map[string]int
	// shown is what the host shows of MCP's tools.
	shown protocol.ClientTools
	// proxy: the host offers winnow_call, by which it reaches what it does not list.
	proxy bool
	// names are the names of MCP's tools of the request, by what its groups hide.
	// [Requests] guards them.
	names map[string]string
}

// offers are what requests offer, each list of tools read once.
type offers struct {
	// seed is that of the hashes which name lists that have no name.
	seed maphash.Seed

	mu    sync.Mutex
	known map[string]*offer // by the names of the lists
	order []string          // the one used last at the end
}

// of returns what a request offers.
func (o *offers) of(p *protocol.ConversationRouteParams, l *listing) (*offer, error) {
	id := p.ToolsID
	if id == "" {
		id = strconv.FormatUint(maphash.Bytes(o.seed, p.Tools), 36)
	}
	found := o.find(id)
	var tools []protocol.RequestTool
	switch {
	case found != nil && found.allListed == p.AllListed && found.list == l:
		return found, nil
	case found != nil:
		tools = found.tools
	case p.Tools == nil:
		return nil, failure.New(protocol.KindUnknownSource, "Send them with the request.", "nothing is known of the tools %q", id)
	default:
		if err := codec.Unmarshal(p.Tools, &tools); err != nil {
			return nil, failure.Invalid("the tools of the request cannot be read: %v", err)
		}
	}
	read := offerOf(tools, p.AllListed, l)
	o.keep(id, read)
	return read, nil
}

// find returns the offer of a list, which is the one used last from then on; nil
// where it is not known.
func (o *offers) find(id string) *offer {
	o.mu.Lock()
	defer o.mu.Unlock()
	if i := slices.Index(o.order, id); i >= 0 {
		o.order = append(slices.Delete(o.order, i, i+1), id)
	}
	return o.known[id]
}

func (o *offers) keep(id string, read *offer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, ok := o.known[id]; !ok {
		o.order = append(o.order, id)
	}
	o.known[id] = read
	if len(o.order) > maxOffers {
		delete(o.known, o.order[0])
		o.order = o.order[1:]
	}
}

// offerOf sorts the tools that a request offers.
func offerOf(tools []protocol.RequestTool, allListed bool, l *listing) *offer {
	o := &offer{
		tools: tools, allListed: allListed, list: l, places: map[string]int{}, names: map[string]string{},
		shown: protocol.ClientTools{Visible: []string{}},
	}
	o.proxy = slices.ContainsFunc(tools, func(t protocol.RequestTool) bool { return t.Name == protocol.ProxyTool })
	for i := range tools {
		t := &tools[i]
		switch {
		case t.Name == protocol.ProxyTool:
		case allListed:
			o.native = append(o.native, i)
		case o.proxy && l.isGateway(t.Name): // what it offers is there without it
		case isGroup(t.Name):
			o.groups = append(o.groups, i)
			o.shown.Groups = append(o.shown.Groups, protocol.ClientGroup{Name: t.Name, Description: t.Description, InputSchema: t.InputSchema})
		case l.isMCP(t.Name):
			o.mcp = append(o.mcp, i)
			o.places[t.Name] = i
			o.shown.Visible = append(o.shown.Visible, t.Name)
		default:
			o.native = append(o.native, i)
		}
	}
	return o
}

// asOffered gives attached tools the texts with which VS Code's agent offers them,
// where nothing else has changed those of the list but to say before them whose tool
// it is, and those that it does not offer the schema that it would.
func (o *offer) asOffered(attached []protocol.AttachedTool) []protocol.AttachedTool {
	attached = slices.Clone(attached)
	for i := range attached {
		t := &attached[i]
		place, offered := o.places[t.Name]
		listed, known := o.list.tools[t.Name]
		if !offered {
			t.InputSchema = mended(t.InputSchema)
			continue
		}
		whose, listedText := strings.CutSuffix(t.Description, listed.Description)
		if known && listedText && bytes.Equal(t.InputSchema, listed.InputSchema) {
			t.Description, t.InputSchema = whose+o.tools[place].Description, o.tools[place].InputSchema
		}
	}
	return attached
}

// alternatives are what providers refuse at the top of a schema.
var alternatives = []string{"oneOf", "anyOf", "allOf", "not", "if", "then", "else"}

// noParameters is the schema of a tool that has none.
const noParameters = `{"type":"object","properties":{}}`

// mended returns the schema of a tool as VS Code's agent offers it to every model:
// that of an object with properties, without [alternatives].
func mended(schema json.RawMessage) json.RawMessage {
	if len(schema) == 0 {
		return schema
	}
	isObject, hasProperties, refused := false, false, false
	kept := []byte("{")
	for name, value := range ijson.Members(schema) {
		isObject = isObject || name == "type" && string(value) == `"object"`
		hasProperties = hasProperties || name == "properties"
		if slices.Contains(alternatives, name) {
			refused = true
			continue
		}
		kept = append(append(append(append(kept, codec.Marshal(name)...), ':'), value...), ',')
	}
	switch {
	case !isObject:
		return json.RawMessage(noParameters)
	case !hasProperties:
		return append(kept, `"properties":{}}`...)
	case !refused:
		return schema
	}
	kept[len(kept)-1] = '}'
	return kept
}

// opened says of groups that were called what they stand for, by their names.
type opened struct {
	hides map[string][]string
	// rounds counts the messages that called some.
	rounds int
}

// openedIn returns the groups that were called since the user's last words. What
// they stood for before is not to be relied on: between two messages the user may
// have switched tools off, and nothing else tells.
func openedIn(messages []protocol.MessageDigest) opened {
	o := opened{hides: map[string][]string{}}
	calls := map[string]string{}
	since := messages[lastWords(messages)+1:]
	for i := range since {
		m := &since[i]
		calling := false
		for k := range m.Parts {
			p := &m.Parts[k]
			switch p.Kind {
			case protocol.PartCall:
				if isGroup(p.Name) {
					calls[p.CallID], calling = p.Name, true
				}
			case protocol.PartResult:
				if group, ok := calls[p.CallID]; ok {
					o.hides[group] = namesIn(chats.TextOf(p.Content))
				}
			case protocol.PartText, protocol.PartData, protocol.PartOther:
			}
		}
		if calling {
			o.rounds++
		}
	}
	return o
}

// lastWords returns the place of the user's last words; -1 where there are none.
// Should a host add a message without a text, it begins nothing.
func lastWords(messages []protocol.MessageDigest) int {
	for i := len(messages) - 1; i >= 0; i-- {
		m := &messages[i]
		if m.Role == "user" && !slices.ContainsFunc(m.Parts, isResult) && chats.TextOf(m.Parts) != "" {
			return i
		}
	}
	return -1
}

func isResult(p protocol.MessagePart) bool { return p.Kind == protocol.PartResult }

// callsGroup reports whether a group is called anywhere.
func callsGroup(messages []protocol.MessageDigest) bool {
	return slices.ContainsFunc(messages, func(m protocol.MessageDigest) bool {
		return slices.ContainsFunc(m.Parts, func(p protocol.MessagePart) bool { return p.Kind == protocol.PartCall && isGroup(p.Name) })
	})
}

// namesIn returns the names in the answer of a group.
func namesIn(text string) []string {
	_, list, _ := strings.Cut(text, activated)
	names := []string{}
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" && !strings.ContainsAny(name, " \t\r\n") {
			names = append(names, name)
		}
	}
	return names
}

// hidden returns the tools that the groups of a request hide, as the host lists
// them. A group that is not offered any more hides nothing: it is open, or the
// user has switched its tools off.
func hidden(o *offer, open *opened, l *listing) []protocol.HostTool {
	if len(o.groups) == 0 {
		return nil
	}
	seen := make(map[string]bool, len(o.places))
	for name := range o.places {
		seen[name] = true
	}
	var all []protocol.HostTool
	var visit func(group string)
	visit = func(group string) {
		if seen[group] {
			return
		}
		seen[group] = true
		for _, name := range open.hides[group] {
			if isGroup(name) {
				visit(name)
			}
			if t, ok := l.tools[name]; ok && !seen[name] && l.isMCP(name) {
				seen[name] = true
				all = append(all, *t)
			}
		}
	}
	for _, i := range o.groups {
		visit(o.tools[i].Name)
	}
	return all
}

// behind returns all of MCP's tools that a request with groups may hide: the
// groups are not opened, so a tool that the user has switched off cannot be told from
// one that is in a group.
func behind(o *offer, l *listing) []protocol.HostTool {
	if len(o.groups) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(l.all), func(t protocol.HostTool) bool {
		_, ok := o.places[t.Name]
		return ok
	})
}
