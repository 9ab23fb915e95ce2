package wire

import (
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// maxKeptLists bounds how many pages of lists one connection keeps.
const maxKeptLists = 100

// listCache keeps a connection's lists of resources and prompts for as long as
// the server says that they stay as they are (ttlMs, MCP 2026-07-28), or until
// it announces a change.
type listCache struct {
	// mu guards what follows.
	mu   sync.Mutex
	kept map[string]keptList
	// changes counts the announced changes: an answer on its way may be older.
	changes uint64
}

type keptList struct {
	answer json.RawMessage
	until  time.Time
}

func listKey(method mcp.MCPMethod, params json.RawMessage) string {
	return string(method) + "\n" + string(params)
}

// get returns an answer that is still good; without one, what put has to be
// told.
func (l *listCache) get(method mcp.MCPMethod, params json.RawMessage) (answer json.RawMessage, changes uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one, known := l.kept[listKey(method, params)]; known && time.Now().Before(one.until) {
		return one.answer, l.changes
	}
	return nil, l.changes
}

// put keeps an answer for its time, unless there was a change since it was
// asked for.
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

// changed forgets the lists of a kind, "resources" or "prompts".
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

// maxTimeToLive bounds what a server says of its lists.
const maxTimeToLive = 24 * time.Hour

// timeToLive returns how long an answer may be used again; 0 when the server
// does not say.
func timeToLive(answer json.RawMessage) time.Duration {
	var ms int64
	if json.Unmarshal(ijson.Member(answer, "ttlMs"), &ms) != nil || ms <= 0 {
		return 0
	}
	return time.Duration(min(ms, maxTimeToLive.Milliseconds())) * time.Millisecond
}
