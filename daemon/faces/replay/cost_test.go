package replay

import (
	"math"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/history"
)

// TestPrice: what is saved is in the buckets that the log has, and never more.
func TestPrice(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name                     string
		usage                    history.Usage
		saved                    int
		changed, fetches, writes bool
		want                     Priced
	}{
		{"from the cache", history.Usage{Input: 100, CacheRead: 1000, CacheWrite: 200}, 500, false, false, true, Priced{Before: 450, Saved: 50}},
		{"more than was read", history.Usage{Input: 100, CacheRead: 1000, CacheWrite: 200}, 1100, false, false, true, Priced{Before: 450, Saved: 225}},
		{"more than there is", history.Usage{Input: 100, CacheRead: 1000, CacheWrite: 200}, 9000, false, false, true, Priced{Before: 450, Saved: 450}},
		{"no cache", history.Usage{Input: 1000}, 400, false, false, false, Priced{Before: 1000, Saved: 400}},
		{"costs more", history.Usage{CacheRead: 1000}, -100, false, false, false, Priced{Before: 100, Worse: 10}},
		{"other tools, a cache that is paid for", history.Usage{CacheRead: 1000}, 400, true, false, true, Priced{Before: 100, Saved: 40, Worse: 690, CacheBreaks: 1}},
		{"other tools, one that is not", history.Usage{CacheRead: 1000}, 400, true, false, false, Priced{Before: 100, Saved: 40, Worse: 540, CacheBreaks: 1}},
		{"asks for a tool", history.Usage{CacheRead: 1000}, 0, false, true, true, Priced{Before: 100, Worse: 1250, CacheBreaks: 1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := price(&tc.usage, tc.saved, tc.changed, tc.fetches, tc.writes, Prices{Input: 1, CacheRead: 0.1, CacheWrite: 1.25})
			tc.want.Requests = 1
			near := func(a, b float64) bool { return math.Abs(a-b) < 1e-6 }
			if !near(got.Before, tc.want.Before) || !near(got.Saved, tc.want.Saved) || !near(got.Worse, tc.want.Worse) || got.CacheBreaks != tc.want.CacheBreaks {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
}

// TestTally_share: the interval is Wilson's (Newcombe 1998 has 81 of 263).
func TestTally_share(t *testing.T) {
	t.Parallel()
	s := Tally{InFull: 81, NotFound: 182, Unknown: 50, OutOfScope: 3}.Share()
	if s.Of != 263 || math.Abs(s.From-0.2553) > 1e-4 || math.Abs(s.To-0.3662) > 1e-4 {
		t.Errorf("got %+v", s)
	}
	if (Tally{Unknown: 3}).Share() != (Share{}) {
		t.Error("a share of nothing")
	}
}
