package embed

import (
	"testing"
	"time"
)

func TestBreaker(t *testing.T) {
	t.Parallel()
	now := time.Unix(1e9, 0)
	b := newBreaker()
	check := func(at time.Duration, want Reason) {
		t.Helper()
		if got := b.open(now.Add(at)); got != want {
			t.Errorf("after %v open() = %q, want %q", at, got, want)
		}
	}
	check(0, ReasonNone)
	for range strikes - 1 {
		b.fail(now, ReasonSlow, 0)
	}
	check(0, ReasonNone) // not enough failures in a row
	b.fail(now, ReasonFailing, 0)
	check(0, ReasonFailing)
	check(11*time.Second, ReasonFailing)  // 15 s less 20 %
	check(19*time.Second, ReasonNone)     // 15 s and 20 %: the next query decides
	b.fail(now, ReasonSlow, 0)            // it fails too: twice the pause
	check(23*time.Second, ReasonSlow)     // 30 s less 20 %
	check(37*time.Second, ReasonNone)     // 30 s and 20 %
	b.succeed()                           // the provider is back
	b.fail(now, ReasonFailing, 0)         // one failure alone opens nothing
	check(0, ReasonNone)                  //
	b.fail(now, ReasonQuota, time.Minute) // a wish to be left alone is granted at once
	check(59*time.Second, ReasonQuota)
	check(61*time.Second, ReasonNone)
	for range 20 {
		b.fail(now, ReasonFailing, 0)
	}
	check(7*time.Minute, ReasonFailing) // 10 min less 20 %
	check(13*time.Minute, ReasonNone)
}
