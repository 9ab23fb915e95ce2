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

// maxConversations bounds the conversations in the ledger. The one that began first is
// evicted.
const maxConversations = 128

// ledger counts the tokens of requests, for each conversation and client.
type ledger struct {
	mu    sync.Mutex
	tasks map[string]*entry
	order []string
}

// entry holds the counts of one conversation.
type entry struct {
	// Task is empty for the entry of all requests of a client from which no tool was
	// chosen.
	Task     string `json:"task"`
	Client   string `json:"client"`
	Endpoint string `json:"endpoint"`
	// Requests counts the client's answered requests. Rounds counts the proxy's own
	// requests after mcp_load. Rounds add to Usage, not to the sums of tokens.
	Requests int `json:"requests"`
	Rounds   int `json:"rounds"`
	// Counts and Tokens are those of the latest request or round; zero if there was
	// nothing to choose.
	Counts protocol.AttachedCounts `json:"counts"`
	Tokens protocol.AttachedTokens `json:"tokens"`
	// SentTokens and SavedTokens are o200k tokens of MCP tools, summed over Requests.
	// SentTokens includes mcp_load. A request with nothing to choose carries all its
	// tools and adds to neither.
	SentTokens  int `json:"sentTokens"`
	SavedTokens int `json:"savedTokens"`
	// Usage is the usage reported by the provider for requests and rounds, in its own
	// tokens. Compressed responses are not read; only requests that offer mcp_load ask
	// for uncompressed ones.
	Usage wire.Usage `json:"usage"`
	// Cost is the price of Usage; nil without prices.
	Cost *float64 `json:"cost,omitempty"`

	prices *Prices
}

// Prices are the user's prices for a million tokens, in any currency.
type Prices struct{ Input, CacheRead, CacheWrite, Output float64 }

// of returns the price of usage. Cached input has prices of its own.
func (p *Prices) of(u wire.Usage) float64 {
	plain := u.Input - u.CacheRead - u.CacheWrite
	return (float64(plain)*p.Input + float64(u.CacheRead)*p.CacheRead + float64(u.CacheWrite)*p.CacheWrite + float64(u.Output)*p.Output) / 1e6
}

func newLedger() *ledger { return &ledger{tasks: map[string]*entry{}} }

// request counts a request of the client or the proxy, and returns the key for its usage.
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

// usage adds the usage of a response.
func (l *ledger) usage(key string, u wire.Usage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.tasks[key]; ok {
		e.Usage.Add(u)
	}
}

// stats is the response of /winnow/stats.
type stats struct {
	// Conversations are listed newest first.
	Conversations []entry `json:"conversations"`
	// Clients holds the sums of each client.
	Clients map[string]*clientSum `json:"clients"`
}

// clientSum holds the sums of a client's listed conversations.
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

// ServeHTTP handles /winnow/stats.
func (l *ledger) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(l.stats()) // an error means that the client is gone
}
