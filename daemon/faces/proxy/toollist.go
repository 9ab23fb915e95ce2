package proxy

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"hash/maphash"
	"io"
	"slices"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/engine/chats"
	"github.com/winnow-mcp/winnow/daemon/faces/proxy/wire"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// maxLists is how many lists of tools are known at a time. A client has one
// for as long as its servers do not change.
const maxLists = 32

// toolList is a list of tools as a client sends it with each request.
type toolList struct {
	// source is the router's name of the managed tools; empty where none is.
	source string
	// managed says of each tool whether it is one of an MCP server.
	managed []bool
	// native counts the others.
	native int
	// mcp are all tools of MCP servers, also those that the client defers itself
	// or lists twice: the user's rules hold for each. places are theirs in the
	// list; one whose server's name was cut stands there for each server that it
	// may be of.
	mcp    []protocol.HostTool
	places []int
}

// toolLists makes the lists of tools that clients send known to the router,
// each once.
type toolLists struct {
	router Router
	// seed is that of the keys.
	seed maphash.Seed

	mu    sync.Mutex
	known map[uint64]*toolList
	order []uint64 // the list used last at the end
}

// of returns the list of a request.
func (l *toolLists) of(e *Endpoint, q *wire.Request) (*toolList, error) {
	servers := l.router.Servers()
	key := l.key(e, servers, q)
	l.mu.Lock()
	defer l.mu.Unlock()
	if list, ok := l.known[key]; ok {
		l.order = append(slices.DeleteFunc(l.order, func(k uint64) bool { return k == key }), key)
		return list, nil
	}
	list, tools := newToolList(q, &chats.Naming{Servers: servers, Include: e.Include, Exclude: e.Exclude, Forms: e.Forms})
	if len(tools) > 0 {
		list.source = "proxy/" + e.Name + ":" + listName(e, servers, q)
		if err := l.router.SetTools(list.source, tools); err != nil {
			return nil, err
		}
	}
	if l.known == nil {
		l.known = map[uint64]*toolList{}
	}
	l.known[key] = list
	l.order = append(l.order, key)
	return list, l.dropOldest()
}

// dropOldest forgets a list when there are too many.
func (l *toolLists) dropOldest() error {
	if len(l.order) <= maxLists {
		return nil
	}
	oldest := l.known[l.order[0]]
	delete(l.known, l.order[0])
	l.order = l.order[1:]
	if oldest.source == "" {
		return nil
	}
	return l.router.SetTools(oldest.source, nil)
}

// key tells lists apart while this process runs. It is made for each request,
// from some hundred kilobytes, so it is of a hash that is quick.
func (l *toolLists) key(e *Endpoint, servers []string, q *wire.Request) uint64 {
	var h maphash.Hash
	h.SetSeed(l.seed)
	writeList(&h, e, servers, q)
	return h.Sum64()
}

// listName names a list also to a later process.
func listName(e *Endpoint, servers []string, q *wire.Request) string {
	h := sha256.New()
	writeList(h, e, servers, q)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// writeList hands a hash all that decides what a list means.
func writeList(h hash.Hash, e *Endpoint, servers []string, q *wire.Request) {
	for _, part := range slices.Concat([]string{e.Name}, servers, []string{"include"}, e.Include, []string{"exclude"}, e.Exclude, []string{"forms"}, e.Forms) {
		_, _ = io.WriteString(h, part+"\x00") // a hash takes everything
	}
	h.Write(q.ToolsText())
}

// newToolList returns which of a request's tools are those of MCP servers, and
// these as a host hands them over. Two tools that cannot be distinguished by
// their names stay the client's business, and so do Winnow's own, which a
// client may have from the gateway, and those that it defers itself.
func newToolList(q *wire.Request, naming *chats.Naming) (*toolList, []protocol.HostTool) {
	count := map[string]int{}
	for i := range q.Tools {
		count[toolKey(&q.Tools[i])]++
	}
	namer := naming.Namer()
	list := &toolList{managed: make([]bool, len(q.Tools)), native: len(q.Tools)}
	var tools []protocol.HostTool
	for i := range q.Tools {
		t := &q.Tools[i]
		ids := namer.Identify(t.Namespace, t.Name)
		key := toolKey(t)
		for _, id := range ids {
			list.mcp = append(list.mcp, protocol.HostTool{Server: id.Server, Name: key, Tool: id.Tool})
			list.places = append(list.places, i)
		}
		if len(ids) == 0 {
			continue
		}
		id := ids[0]
		if t.Deferred || count[key] > 1 || router.IsMetaTool(id.Tool) {
			continue
		}
		list.managed[i] = true
		list.native--
		tools = append(tools, protocol.HostTool{
			Server: id.Server, Name: key, Tool: id.Tool, Description: t.Description, InputSchema: slices.Clone(t.Schema),
		})
	}
	return list, tools
}

// toolKey is the name by which a tool is known here: with its namespace, where
// the name alone may stand for several.
func toolKey(t *wire.Tool) string { return keyOf(t.Namespace, t.Name) }

func keyOf(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "__" + name
}
