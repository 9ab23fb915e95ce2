package proxy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"

	"context"

	"github.com/winnow-mcp/winnow/daemon/faces/proxy/wire"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// maxLists is how many lists of tools are known at a time. A client has one
// for as long as its servers do not change.
const maxLists = 32

// toolLists makes the lists of tools that clients send known to the router,
// each once.
type toolLists struct {
	router Router
	mu     sync.Mutex
	known  []string // sources, the one used last at the end
}

// source returns the source of the managed tools of a request.
func (l *toolLists) source(ctx context.Context, endpoint string, tools []protocol.HostTool) (string, error) {
	h := sha256.New()
	if err := json.NewEncoder(h).Encode(tools); err != nil {
		return "", err
	}
	source := "proxy/" + endpoint + "/" + hex.EncodeToString(h.Sum(nil)[:8])
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, known := range l.known {
		if known == source {
			l.known = append(append(l.known[:i:i], l.known[i+1:]...), source)
			return source, nil
		}
	}
	if err := l.router.SetTools(ctx, source, tools); err != nil {
		return "", err
	}
	l.known = append(l.known, source)
	if len(l.known) > maxLists {
		oldest := l.known[0]
		l.known = l.known[1:]
		return source, l.router.SetTools(ctx, oldest, nil)
	}
	return source, nil
}

// managed returns which of a request's tools are those of MCP servers, and
// these as a host hands them over. The names of two tools that cannot be told
// apart stay the client's business.
func managed(q *wire.Request, naming *Naming) ([]bool, []protocol.HostTool) {
	count := map[string]int{}
	for i := range q.Tools {
		count[toolKey(&q.Tools[i])]++
	}
	is := make([]bool, len(q.Tools))
	var tools []protocol.HostTool
	for i := range q.Tools {
		t := &q.Tools[i]
		id, ok := naming.Identify(t)
		key := toolKey(t)
		if !ok || count[key] > 1 || router.IsMetaTool(id.Tool) {
			continue
		}
		is[i] = true
		tools = append(tools, protocol.HostTool{
			Server: id.Server, Name: key, Tool: id.Tool, Description: t.Description, InputSchema: t.Schema,
		})
	}
	return is, tools
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
