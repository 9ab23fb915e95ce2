package proxy

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/faces/proxy/wire"
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
	// SentTokens and SavedTokens are those of MCP tools, in o200k tokens, summed
	// over all requests; each round of mcp_load is one.
	SentTokens  int `json:"sentTokens"`
	SavedTokens int `json:"savedTokens"`
	// Usage is what the provider says of all requests, in its own tokens.
	Usage wire.Usage `json:"usage"`
	// Cost is Usage at the user's prices; absent where there are none.
	Cost *float64 `json:"cost,omitempty"`

	prices *Prices
}

// Prices are what the user pays an endpoint's provider for a million tokens,
// in whatever currency.
type Prices struct{ Input, CacheRead, CacheWrite, Output float64 }

// of returns the price of usage. Cached input has its own.
func (p *Prices) of(u wire.Usage) float64 {
	plain := u.Input - u.CacheRead - u.CacheWrite
	return (float64(plain)*p.Input + float64(u.CacheRead)*p.CacheRead + float64(u.CacheWrite)*p.CacheWrite + float64(u.Output)*p.Output) / 1e6
}

func newLedger() *ledger { return &ledger{tasks: map[string]*entry{}} }

// request notes a request.
func (l *ledger) request(p *plan, client string, endpoint *Endpoint) {
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
	e.Endpoint, e.prices, e.Counts, e.Tokens = endpoint.Name, endpoint.Prices, p.counts, p.tokens
	e.Requests++
	e.SentTokens += p.tokens.Attached
	e.SavedTokens += p.tokens.Saved
}

// usage notes what an answer has cost.
func (l *ledger) usage(task string, u wire.Usage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.tasks[task]; ok {
		e.Usage.Add(u)
	}
}

// stats is the answer of /winnow/stats.
type stats struct {
	// Conversations are listed, the one begun last at the beginning.
	Conversations []entry `json:"conversations"`
	// Clients sum them up by the client's name.
	Clients map[string]*clientSum `json:"clients"`
}

// clientSum is what the listed conversations of a client have carried.
type clientSum struct {
	Conversations int        `json:"conversations"`
	Requests      int        `json:"requests"`
	SentTokens    int        `json:"sentTokens"`
	SavedTokens   int        `json:"savedTokens"`
	Usage         wire.Usage `json:"usage"`
}

func (l *ledger) stats() stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := stats{Conversations: []entry{}, Clients: map[string]*clientSum{}}
	for _, task := range slices.Backward(l.order) {
		e := *l.tasks[task]
		if e.prices != nil {
			cost := e.prices.of(e.Usage)
			e.Cost = &cost
		}
		s.Conversations = append(s.Conversations, e)
		c := s.Clients[e.Client]
		if c == nil {
			c = &clientSum{}
			s.Clients[e.Client] = c
		}
		c.Conversations++
		c.Requests += e.Requests
		c.SentTokens += e.SentTokens
		c.SavedTokens += e.SavedTokens
		c.Usage.Add(e.Usage)
	}
	return s
}

// ServeHTTP answers /winnow/stats.
func (l *ledger) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(l.stats()) // the client is gone
}
