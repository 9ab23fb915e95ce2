package proxy

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/winnow-mcp/winnow/protocol"
)

// maxConversations is how many conversations the ledger lists; the one begun
// longest ago gives way.
const maxConversations = 128

// ledger sums what requests carried, for each conversation and client.
type ledger struct {
	mu    sync.Mutex
	tasks map[string]*entry
	order []string
}

// entry is what the requests of one conversation have carried.
type entry struct {
	Task     string `json:"task"`
	Client   string `json:"client"`
	Endpoint string `json:"endpoint"`
	Requests int    `json:"requests"`
	// Counts and Tokens are those of the latest request.
	Counts protocol.AttachedCounts `json:"counts"`
	Tokens protocol.AttachedTokens `json:"tokens"`
	// SavedTokens sums over all requests.
	SavedTokens int `json:"savedTokens"`
}

func newLedger() *ledger { return &ledger{tasks: map[string]*entry{}} }

// request notes a request.
func (l *ledger) request(p *plan, client, endpoint string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.tasks[p.task]
	if !ok {
		e = &entry{Task: p.task}
		l.tasks[p.task] = e
		l.order = append(l.order, p.task)
		if len(l.order) > maxConversations {
			delete(l.tasks, l.order[0])
			l.order = l.order[1:]
		}
	}
	e.Client, _, _ = strings.Cut(client, " ")
	e.Endpoint, e.Counts, e.Tokens = endpoint, p.counts, p.tokens
	e.Requests++
	e.SavedTokens += p.tokens.Saved
}

// ServeHTTP answers /winnow/stats.
func (l *ledger) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	l.mu.Lock()
	entries := []entry{}
	for _, task := range slices.Backward(l.order) {
		entries = append(entries, *l.tasks[task])
	}
	l.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"conversations": entries}) // the client is gone
}
