package wire

import (
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// maxKeptLists bounds the pages of lists that one connection caches.
const maxKeptLists = 100

// listCache caches a connection's lists of resources and prompts until the lifetime that
// the server gave expires (ttlMs, MCP 2026-07-28) or the server announces a change.
type listCache struct {
	// mu guards what follows.
	mu   sync.Mutex
	kept map[string]keptList
	// changes counts the announced changes; put drops answers from before one.
	changes uint64
}

type keptList struct {
	answer json.RawMessage
	until  time.Time
}

func listKey(method mcp.MCPMethod, params json.RawMessage) string {
	return string(method) + "\n" + string(params)
}

// get returns a cached answer, or nil and the number that put requires.
func (l *listCache) get(method mcp.MCPMethod, params json.RawMessage) (answer json.RawMessage, changes uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one, known := l.kept[listKey(method, params)]; known && time.Now().Before(one.until) {
		return one.answer, l.changes
	}
	return nil, l.changes
}

// put caches an answer for its lifetime, unless a change was announced since get.
func (l *listCache) put(method mcp.MCPMethod, params, answer json.RawMessage, changes uint64) {
	ttl := timeToLive(answer)
	l.mu.Lock()
	defer l.mu.Unlock()
	if ttl <= 0 || changes != l.changes {
		return
	}
	if l.kept == nil || len(l.kept) >= maxKeptLists {
		l.kept = map[string]keptList{}
	}
	l.kept[listKey(method, params)] = keptList{answer, time.Now().Add(ttl)}
}

// changed evicts the lists of a kind, "resources" or "prompts".
func (l *listCache) changed(kind string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changes++
	for key := range l.kept {
		if strings.HasPrefix(key, kind+"/") {
			delete(l.kept, key)
		}
	}
}

// maxTimeToLive bounds the lifetime that a server gives its lists.
const maxTimeToLive = 24 * time.Hour

// timeToLive returns how long an answer may be cached; 0 if the server does not say.
func timeToLive(answer json.RawMessage) time.Duration {
	var ms int64
	if json.Unmarshal(ijson.Member(answer, "ttlMs"), &ms) != nil || ms <= 0 {
		return 0
	}
	return time.Duration(min(ms, maxTimeToLive.Milliseconds())) * time.Millisecond
}
