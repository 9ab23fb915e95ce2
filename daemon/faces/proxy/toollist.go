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

// maxLists bounds the cached lists of tools. A client sends the same list as long as its
// servers do not change.
const maxLists = 32

// toolList is the list of tools that a client sends with each request.
type toolList struct {
	// source is the router's source of the managed tools; empty if there are none.
	source string
	// managed reports for each tool whether it is an MCP tool that may be left out.
	managed []bool
	// native counts the others.
	native int
	// mcp holds all MCP tools, including those that the client defers or lists twice,
	// because the user's rules apply to each. places holds their positions in the list. A
	// tool with a truncated server name has an entry for each possible server.
	mcp    []protocol.HostTool
	places []int
}

// toolLists registers each list of tools with the router once.
type toolLists struct {
	router Router
	// seed is the seed of the keys.
	seed maphash.Seed

	mu    sync.Mutex
	known map[uint64]*toolList
	order []uint64 // least recently used first
}

// of returns the list of tools of a request, and registers it if it is new.
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

// dropOldest evicts the least recently used list if there are too many.
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

// key returns a key that is valid in this process. It is computed for each request from
// some hundred kilobytes, so it uses a fast hash.
func (l *toolLists) key(e *Endpoint, servers []string, q *wire.Request) uint64 {
	var h maphash.Hash
	h.SetSeed(l.seed)
	writeList(&h, e, servers, q)
	return h.Sum64()
}

// listName returns a name of a list that is stable across processes.
func listName(e *Endpoint, servers []string, q *wire.Request) string {
	h := sha256.New()
	writeList(h, e, servers, q)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// writeList writes everything that determines the meaning of a list.
func writeList(h hash.Hash, e *Endpoint, servers []string, q *wire.Request) {
	for _, part := range slices.Concat([]string{e.Name}, servers, []string{"include"}, e.Include, []string{"exclude"}, e.Exclude, []string{"forms"}, e.Forms) {
		_, _ = io.WriteString(h, part+"\x00") // a hash returns no error
	}
	h.Write(q.ToolsText())
}

// newToolList returns the list of a request and its managed tools in a host's form. Not
// managed are tools with equal names, Winnow's own meta tools, which a client may have
// from the gateway, and tools that the client defers.
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

// toolKey returns the key of a tool: its name, with its namespace if it has one.
func toolKey(t *wire.Tool) string { return keyOf(t.Namespace, t.Name) }

func keyOf(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "__" + name
}
