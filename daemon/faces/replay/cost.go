package replay

import "github.com/winnow-mcp/winnow/daemon/history"

// Prices weigh a token of each bucket.
type Prices struct {
	Input      float64 `json:"input"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
}

// RelativePrices are in tokens that no cache has: what is read from one costs a
// tenth, and what is put into one a quarter more, as Anthropic charges.
var RelativePrices = Prices{Input: 1, CacheRead: 0.1, CacheWrite: 1.25}

func (p Prices) of(u *history.Usage) float64 {
	return float64(u.Input)*p.Input + float64(u.CacheRead)*p.CacheRead + float64(u.CacheWrite)*p.CacheWrite
}

// Priced is what the input of requests cost, and would have, in what [Prices] are in.
// Output is taken to be the same.
type Priced struct {
	Requests int `json:"requests"`
	// Before is what it was, Saved what fewer tools would have saved of it.
	Before float64 `json:"before"`
	Saved  float64 `json:"saved"`
	// Worse is what would have come on top: requests to ask for tools, what the
	// provider's cache would have lost where the tools change, and tools that cost
	// more than the client's.
	Worse float64 `json:"worse"`
	// CacheBreaks counts the requests whose tools would have changed.
	CacheBreaks int `json:"cacheBreaks"`
}

// add adds the sums of another.
func (c *Costs) add(p Priced) {
	c.Priced.Requests += p.Requests
	c.Priced.Before += p.Before
	c.Priced.Saved += p.Saved
	c.Priced.Worse += p.Worse
	c.Priced.CacheBreaks += p.CacheBreaks
}

// price says what a request with other tools would have cost. The tools stand before
// all else: what is saved is taken from what was read from the cache, then from what
// was written to it, then from the rest, and never more than there is. A list of
// tools that changes leaves nothing in the cache to be read.
func price(u *history.Usage, saved int, changed, fetches, writes bool, p Prices) Priced {
	left := *u
	rest := max(saved, 0)
	for _, bucket := range []*int{&left.CacheRead, &left.CacheWrite, &left.Input} {
		cut := min(rest, max(*bucket, 0))
		*bucket -= cut
		rest -= cut
	}
	one := Priced{Requests: 1, Before: p.of(u)}
	one.Saved = one.Before - p.of(&left)
	more := p.CacheRead
	if u.CacheRead == 0 {
		more = p.Input
	}
	one.Worse = float64(max(-saved, 0)) * more
	anew := p.Input
	if writes {
		anew = p.CacheWrite
	}
	if changed {
		one.CacheBreaks++
		one.Worse += float64(left.CacheRead) * max(0, anew-p.CacheRead)
	}
	if fetches { // the same once more, with another list of tools
		one.CacheBreaks++
		one.Worse += float64(left.Total()) * anew
	}
	return one
}
