package evaluate

import (
	"runtime"
	"slices"
	"time"
)

// result holds one contender's results for one set.
type result struct {
	// perQuery holds the figures of each query, in the set's order.
	perQuery []figures
	mean     figures
	// idle holds the number of tools for each message that needs none.
	idle []float64
	// p50 and p95 are query times, and build is the time to build the index.
	p50, p95, build time.Duration
	// bytes is the heap size of the index.
	bytes int64
}

// measure ranks every query of a set sequentially, so that times are for one query on one
// core.
func measure(c Contender, s *set) result {
	before := heap()
	start := time.Now()
	rank := c.Prepare(s.docs)
	r := result{build: time.Since(start)}
	r.bytes = max(0, heap()-before)
	times := make([]time.Duration, 0, len(s.queries))
	for i := range s.queries {
		start := time.Now()
		answer := rank(s.queries[i].text)
		times = append(times, time.Since(start))
		r.perQuery = append(r.perQuery, judge(&s.queries[i], answer))
	}
	for i := range s.idle {
		r.idle = append(r.idle, float64(min(Depth, len(rank(s.idle[i].text)))))
	}
	slices.Sort(times)
	r.mean = mean(r.perQuery)
	if n := len(times); n > 0 {
		r.p50, r.p95 = times[n/2], times[n*95/100]
	}
	return r
}

// ofKind returns the part of a result for the set's messages of one kind.
func (r *result) ofKind(s *set, kind string) result {
	var part result
	for i, f := range r.perQuery {
		if s.queries[i].kind == kind {
			part.perQuery = append(part.perQuery, f)
		}
	}
	part.mean = mean(part.perQuery)
	return part
}

// heap returns the heap size after a collection.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
