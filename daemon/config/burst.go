package config

import "time"

// burst is a run of changes to wait out.
type burst struct {
	over   <-chan time.Time // nil outside of a burst
	latest time.Time
}

// extend waits for another quiet period, up to maxQuiets of them.
func (b *burst) extend(quiet time.Duration) {
	now := time.Now()
	if b.over == nil {
		b.latest = now.Add(maxQuiets * quiet)
	}
	b.over = time.After(min(quiet, b.latest.Sub(now)))
}

func (b *burst) end() { b.over = nil }
