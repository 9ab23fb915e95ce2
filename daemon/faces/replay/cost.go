package replay

import "github.com/winnow-mcp/winnow/daemon/history"

// Prices are the weights of a token in each bucket.
type Prices struct {
	Input      float64 `json:"input"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
}

// RelativePrices are relative to uncached input: a cache read costs a tenth, a cache
// write a quarter more, as Anthropic charges.
var RelativePrices = Prices{Input: 1, CacheRead: 0.1, CacheWrite: 1.25}

func (p Prices) of(u *history.Usage) float64 {
	return float64(u.Input)*p.Input + float64(u.CacheRead)*p.CacheRead + float64(u.CacheWrite)*p.CacheWrite
}

// Priced is the actual and the replayed cost of input, in the unit of [Prices]. Output is
// assumed to be the same.
type Priced struct {
	Requests int `json:"requests"`
	// Before is the actual cost, Saved the part that fewer tools would have saved.
	Before float64 `json:"before"`
	Saved  float64 `json:"saved"`
	// Worse is the additional cost: requests for tools, cache lost to changed tools, and
	// tools that cost more than the client's.
	Worse float64 `json:"worse"`
	// CacheBreaks counts the requests with changed tools.
	CacheBreaks int `json:"cacheBreaks"`
}

// add adds the sums of p.
func (c *Costs) add(p Priced) {
	c.Priced.Requests += p.Requests
	c.Priced.Before += p.Before
	c.Priced.Saved += p.Saved
	c.Priced.Worse += p.Worse
	c.Priced.CacheBreaks += p.CacheBreaks
}

// price returns the cost of a request with other tools. Tools precede everything else, so
// the savings are taken from cache reads, then cache writes, then the rest, and never
// exceed them. A changed list of tools invalidates the cache.
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
	if fetches { // one more request, with another list of tools
		one.CacheBreaks++
		one.Worse += float64(left.Total()) * anew
	}
	return one
}
