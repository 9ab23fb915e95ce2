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
	// groupPrefix starts the names of the tools behind which VS Code's agent hides groups
	// of others.
	groupPrefix = "activate_"
	// activated precedes the names in the answer of a group.
	activated = "Tools activated:"
	// maxOpenRounds is how often one message may open VS Code's groups; groups may nest.
	maxOpenRounds = 3
	// maxOffers is how many requests' lists of tools are cached. A chat keeps one as long
	// as nothing is opened or disabled.
	maxOffers = 8
)

func isGroup(name string) bool { return strings.HasPrefix(name, groupPrefix) }

// offer is what a request offers: its tools, and the indexes of each kind. Only names
// changes.
type offer struct {
	tools     []protocol.RequestTool
	allListed bool
	list      *listing
	// native holds the host's own tools, which pass unchanged; groups holds those that
	// stand for hidden tools.
	native, mcp, groups []int
	// places holds the indexes of mcp, by name.
	places map[string]int
	// shown is what the host shows of MCP's tools.
	shown protocol.ClientTools
	// proxy reports that the host offers winnow_call, by which it reaches unlisted tools.
	proxy bool
	// names holds the names of MCP's tools of the request, by what its groups hide.
	// [Requests] guards it.
	names map[string]string
}

// offers caches what requests offer, so that each list of tools is read once.
type offers struct {
	// seed is the seed of the hashes that identify lists without an ID.
	seed maphash.Seed

	mu    sync.Mutex
	known map[string]*offer // by the IDs of the lists
	order []string          // last used last
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

// find returns the offer of a list and marks it as used last. It returns nil if it is not
// known.
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

// offerOf classifies the tools that a request offers.
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
		case o.proxy && l.isGateway(t.Name): // what it offers is available without it
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

// asOffered gives attached tools the texts that VS Code's agent offers, if the list's
// texts are otherwise unchanged except for a prefix that names the server. Tools that it
// does not offer get the schema that it would.
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

// alternatives are keywords that providers refuse at the top of a schema.
var alternatives = []string{"oneOf", "anyOf", "allOf", "not", "if", "then", "else"}

// noParameters is the schema of a tool that has none.
const noParameters = `{"type":"object","properties":{}}`

// mended returns the schema of a tool as VS Code's agent offers it to every model: an
// object with properties, without [alternatives].
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

// opened holds what called groups stand for, by their names.
type opened struct {
	hides map[string][]string
	// rounds counts the messages that called groups.
	rounds int
}

// openedIn returns the groups called since the user's last words. Earlier results are not
// reliable, because between two messages the user may have disabled tools, and nothing
// reports that.
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

// lastWords returns the index of the user's last words, or -1 if there are none. A
// message without text does not count.
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

// callsGroup reports whether any message calls a group.
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

// hidden returns the tools that the groups of a request hide, as the host lists them. A
// group that is no longer offered hides nothing: it is open, or the user has disabled its
// tools.
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

// behind returns all of MCP's tools that a request with groups may hide. The groups are
// not opened, so disabled tools cannot be distinguished from hidden ones.
func behind(o *offer, l *listing) []protocol.HostTool {
	if len(o.groups) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(l.all), func(t protocol.HostTool) bool {
		_, ok := o.places[t.Name]
		return ok
	})
}
