package replay

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"
)

// Outcome is how a call of an MCP tool would have ended.
type Outcome string

// The values of [Outcome].
const (
	// InFull: the request would have carried the tool.
	InFull Outcome = "in full"
	// ByName: the model would have known the name, and requested the tool.
	ByName Outcome = "by name"
	// Found: the tool ranks among the next best for the message, so one search finds it.
	Found Outcome = "found"
	// NotFound: the tool ranks lower, so one search does not find it.
	NotFound Outcome = "not found"
	// OutOfScope: a rule of the user excludes the tool.
	OutOfScope Outcome = "out of scope"
	// Unknown: the tool is in no known list.
	Unknown Outcome = "unknown"
)

// Outcomes returns all outcomes, the best first.
func Outcomes() []Outcome { return []Outcome{InFull, ByName, Found, NotFound, OutOfScope, Unknown} }

// Tally counts calls by outcome.
type Tally map[Outcome]int

// Known counts the calls with a decisive outcome: neither OutOfScope nor Unknown.
func (t Tally) Known() int { return t[InFull] + t[ByName] + t[Found] + t[NotFound] }

// Share returns the share of known calls that are InFull, with Wilson's 95 % interval.
func (t Tally) Share() Share {
	n, k := float64(t.Known()), float64(t[InFull])
	if n == 0 {
		return Share{}
	}
	const z = 1.959964
	share := k / n
	middle := (share + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(share*(1-share)/n+z*z/(4*n*n))
	return Share{Of: int(n), Share: share, From: max(0, middle-half), To: min(1, middle+half)}
}

// Share is a share of Of calls, with its 95 % interval.
type Share struct {
	Of    int     `json:"of"`
	Share float64 `json:"share"`
	From  float64 `json:"from"`
	To    float64 `json:"to"`
}

// Caution is part of every report.
const Caution = "A model that is offered fewer tools might have acted otherwise: these are its calls as they were made."

// Report is the result of a replay.
type Report struct {
	// From and To are the times of the first and the last message.
	From time.Time `json:"from,omitzero"`
	To   time.Time `json:"to,omitzero"`

	Conversations int `json:"conversations"`
	Messages      int `json:"messages"`
	// Own counts calls of the clients' own tools, to which no rule applies.
	Own int `json:"ownCalls"`
	// Calls counts calls of MCP tools. First counts the first call of each tool in a
	// conversation: later ones are easier, because called tools stay attached.
	Calls      Tally `json:"calls"`
	Share      Share `json:"share"`
	First      Tally `json:"firstCalls"`
	FirstShare Share `json:"firstShare"`
	Clients    []Row `json:"clients"`
	Servers    []Row `json:"servers"`
	Costs      Costs `json:"costs"`
	// Prices are the prices used for Costs.
	Prices Prices `json:"prices"`
	// Misses are the worst misses, at most twenty, and three per tool.
	Misses []Miss `json:"misses"`
	// Idle are servers that were offered but never called.
	Idle []Idle `json:"neverCalled"`
	// Untold are servers without known tools.
	Untold []string `json:"unknownServers"`
	// Others are the effects of other settings.
	Others []Other `json:"others,omitzero"`
	// Read counts what was read.
	Read    Read   `json:"read"`
	Caution string `json:"caution,omitzero"`
	// Recorded: the report is of the record of calls, that is, of actual outcomes.
	Recorded bool `json:"recorded,omitzero"`

	clients, servers map[string]Tally
	conversations    map[*conversation]bool
	first            map[*conversation]map[identity]bool
	offers           map[string]*Idle
	called           map[string]bool
	misses           map[identity]int
	worst            map[identity][]Miss
	// tokens are the tokens of missed tools.
	tokens map[identity]int
}

// Row is the tally of a client or a server.
type Row struct {
	Name  string `json:"name"`
	Calls Tally  `json:"calls"`
	Share Share  `json:"share"`
}

// Costs are the actual and the replayed costs of requests.
type Costs struct {
	Requests int `json:"requests"`
	// Without counts requests that cannot have carried the known tools, because the
	// provider counted fewer tokens than these have. They are in no other sum.
	Without int `json:"withoutTools"`
	// TokensBefore and TokensAfter are tokens of MCP tools over all requests.
	TokensBefore int `json:"tokensBefore"`
	TokensAfter  int `json:"tokensAfter"`
	// Rounds counts additional requests for tools.
	Rounds int `json:"extraRounds"`
	// Priced covers the requests with logged cache usage.
	Priced Priced `json:"priced"`
}

// Miss is a call of a tool that the model would not have had.
type Miss struct {
	Client  string    `json:"client"`
	At      time.Time `json:"at,omitzero"`
	Message string    `json:"message"`
	Server  string    `json:"server"`
	Tool    string    `json:"tool"`
	Outcome Outcome   `json:"outcome"`
	Rank    int       `json:"rank,omitzero"`
	Why     string    `json:"why"`
}

// Idle is a server that no conversation called.
type Idle struct {
	Server        string `json:"server"`
	Tools         int    `json:"tools"`
	Conversations int    `json:"conversations"`

	in map[*conversation]bool
}

// Read counts what was read of clients' files.
type Read struct {
	Files   int            `json:"files"`
	Damaged int            `json:"damagedLines"`
	Unknown map[string]int `json:"unknownRecords"`
}

// ended is the outcome of one call.
type ended struct {
	Outcome      Outcome
	Rank, Tokens int
	// why returns why the model does not have the tool.
	why func() string
}

func newReport() *Report {
	return &Report{
		Misses: []Miss{}, Idle: []Idle{}, Untold: []string{},
		Caution: Caution, Calls: Tally{}, First: Tally{}, clients: map[string]Tally{}, servers: map[string]Tally{}, conversations: map[*conversation]bool{},
		first: map[*conversation]map[identity]bool{}, offers: map[string]*Idle{}, called: map[string]bool{}, misses: map[identity]int{}, worst: map[identity][]Miss{}, tokens: map[identity]int{},
	}
}

// message counts a message.
func (r *Report) message(c *conversation) {
	r.Messages++
	if !r.conversations[c] {
		r.conversations[c] = true
		r.Conversations++
	}
}

// offered records the servers whose tools a conversation has.
func (r *Report) offered(c *conversation) {
	tools := map[string]int{}
	for id := range c.shelf.names {
		tools[id.Server]++
	}
	for server, n := range tools {
		if r.offers[server] == nil {
			r.offers[server] = &Idle{Server: server, in: map[*conversation]bool{}}
		}
		idle := r.offers[server]
		idle.in[c] = true
		idle.Tools, idle.Conversations = max(idle.Tools, n), len(idle.in)
	}
}

// call records a call.
func (r *Report) call(c *conversation, id identity, end *ended, m *message, words string) {
	r.tally(c, id, end.Outcome)
	switch end.Outcome {
	case InFull, Unknown, OutOfScope:
		return
	case ByName, Found, NotFound:
	}
	r.misses[id]++
	r.tokens[id] = end.Tokens
	if end.Outcome == ByName { // it costs a round but is no miss
		return
	}
	r.miss(Miss{Client: c.Client, At: m.at, Message: words, Server: id.Server, Tool: id.Tool, Outcome: end.Outcome, Rank: end.Rank}, end.why)
}

// miss keeps a miss if it is one of the three worst of its tool with different messages.
func (r *Report) miss(m Miss, why func() string) {
	const ofOneTool = 3
	id := identity{m.Server, m.Tool}
	worst := r.worst[id]
	if slices.ContainsFunc(worst, func(w Miss) bool { return w.Message == m.Message }) {
		return
	}
	at := slices.IndexFunc(worst, func(w Miss) bool { return w.depth() < m.depth() })
	if at < 0 {
		at = len(worst)
	}
	if at == ofOneTool {
		return
	}
	m.Why = why()
	worst = slices.Insert(worst, at, m)
	r.worst[id] = worst[:min(len(worst), ofOneTool)]
}

// tally counts a call.
func (r *Report) tally(c *conversation, id identity, o Outcome) {
	r.Calls[o]++
	r.called[id.Server] = true
	count(r.clients, c.Client, o)
	count(r.servers, id.Server, o)
	if r.first[c] == nil {
		r.first[c] = map[identity]bool{}
	}
	if !r.first[c][id] {
		r.first[c][id] = true
		r.First[o]++
	}
}

func count(sums map[string]Tally, of string, o Outcome) {
	if sums[of] == nil {
		sums[of] = Tally{}
	}
	sums[of][o]++
}

// describe fills in the fields that depend on all messages.
func (r *Report) describe(o *Options, k *known) {
	r.Share, r.FirstShare, r.Prices = r.Calls.Share(), r.First.Share(), o.Prices
	r.Clients, r.Servers = rows(r.clients), rows(r.servers)
	r.Read = Read{Files: o.Log.Files, Damaged: o.Log.Damaged, Unknown: o.Log.Unknown}
	r.Untold = append(r.Untold, k.untold...)
	for c := range r.conversations {
		for i := range c.Turns {
			if at := c.Turns[i].At; !at.IsZero() && !at.Before(o.Since) {
				if r.From.IsZero() || at.Before(r.From) {
					r.From = at
				}
				if at.After(r.To) {
					r.To = at
				}
			}
		}
	}
	for _, server := range sortedKeys(r.offers) {
		if !r.called[server] {
			r.Idle = append(r.Idle, *r.offers[server])
		}
	}
	const worst = 20
	for _, id := range slices.SortedFunc(maps.Keys(r.worst), identity.compare) {
		r.Misses = append(r.Misses, r.worst[id]...)
	}
	slices.SortStableFunc(r.Misses, func(a, b Miss) int { return cmp.Compare(b.depth(), a.depth()) })
	r.Misses = slices.Clip(r.Misses[:min(len(r.Misses), worst)])
}

// depth returns the rank of a miss; without a rank, the largest int.
func (m *Miss) depth() int {
	if m.Rank == 0 {
		return math.MaxInt
	}
	return m.Rank
}

func rows(sums map[string]Tally) []Row {
	all := []Row{}
	for _, name := range sortedKeys(sums) {
		all = append(all, Row{name, sums[name], sums[name].Share()})
	}
	slices.SortStableFunc(all, func(a, b Row) int { return cmp.Compare(total(b.Calls), total(a.Calls)) })
	return all
}

func total(t Tally) int {
	n := 0
	for _, count := range t {
		n += count
	}
	return n
}

// Redact removes user text, and reasons, which may repeat it.
func (r *Report) Redact() {
	for i := range r.Misses {
		m := &r.Misses[i]
		m.Message, m.Why = "", redacted(m)
	}
}

func redacted(m *Miss) string {
	if m.Rank == 0 {
		return "nothing in the message speaks for it"
	}
	return "others fit the message better"
}
