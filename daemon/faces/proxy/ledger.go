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
	// Task is empty for all requests of a client from which no tool was chosen.
	Task     string `json:"task"`
	Client   string `json:"client"`
	Endpoint string `json:"endpoint"`
	// Requests are the client's that were answered; Rounds are those that the proxy
	// made besides, after mcp_load. They add to Usage, not to the sums of tokens.
	Requests int `json:"requests"`
	Rounds   int `json:"rounds"`
	// Counts and Tokens are those of the latest request or round; zero where nothing
	// could be chosen.
	Counts protocol.AttachedCounts `json:"counts"`
	Tokens protocol.AttachedTokens `json:"tokens"`
	// SentTokens and SavedTokens are those of MCP tools, in o200k tokens, summed
	// over Requests; mcp_load's own are among those sent. A request from which nothing
	// could be chosen carries all of its tools, and adds to neither.
	SentTokens  int `json:"sentTokens"`
	SavedTokens int `json:"savedTokens"`
	// Usage is what the provider says of requests and rounds, in its own tokens. An
	// answer that came compressed is not read: only those that offer mcp_load are
	// asked for as they are.
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

// request notes a request, of the client's or of the proxy's own, and returns what
// its usage goes to.
func (l *ledger) request(p *plan, client string, endpoint *Endpoint, ofClient bool) (key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	client, _, _ = strings.Cut(client, " ")
	if key = p.task; key == "" {
		key = endpoint.Name + " " + client
	}
	e, ok := l.tasks[key]
	if !ok {
		e = &entry{Task: p.task}
		l.tasks[key] = e
		l.order = append(l.order, key)
		if len(l.order) > maxConversations {
			delete(l.tasks, l.order[0])
			l.order = l.order[1:]
		}
	}
	e.Client = client
	e.Endpoint, e.prices, e.Counts, e.Tokens = endpoint.Name, endpoint.Prices, p.counts, p.tokens
	if !ofClient {
		e.Rounds++
		return key
	}
	e.Requests++
	e.SentTokens += p.tokens.Attached
	e.SavedTokens += p.tokens.Saved
	return key
}

// usage notes what an answer has cost.
func (l *ledger) usage(key string, u wire.Usage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.tasks[key]; ok {
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
	for _, key := range slices.Backward(l.order) {
		e := *l.tasks[key]
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
		if e.Task != "" {
			c.Conversations++
		}
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
