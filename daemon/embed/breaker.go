package embed

import (
	"time"

	"github.com/cenkalti/backoff/v5"
)

// strikes is how many failures in a row open the breaker.
const strikes = 3

// breaker keeps queries from waiting for a provider after several failures in a row.
// While open, queries get the reason of the last failure. After a pause, longer each
// time, the next query is let through and decides. It is not safe for concurrent use.
type breaker struct {
	failures int
	reason   Reason
	until    time.Time
	pause    *backoff.ExponentialBackOff
}

func newBreaker() breaker { return breaker{pause: newPause()} }

// newPause returns the pauses after failures: from about 15 s, doubling up to about 10
// minutes, randomized so that several daemons do not call at the same moment.
func newPause() *backoff.ExponentialBackOff {
	pause := &backoff.ExponentialBackOff{
		InitialInterval: 15 * time.Second, RandomizationFactor: .2, Multiplier: 2, MaxInterval: 10 * time.Minute,
	}
	pause.Reset()
	return pause
}

// open returns why queries must not be sent now, or [ReasonNone].
func (b *breaker) open(now time.Time) Reason {
	if now.Before(b.until) {
		return b.reason
	}
	return ReasonNone
}

// succeed closes the breaker.
func (b *breaker) succeed() {
	b.failures = 0
	b.pause.Reset()
}

// fail counts a failure. asked is the pause that the provider requested, which is
// respected immediately.
func (b *breaker) fail(now time.Time, reason Reason, asked time.Duration) {
	b.failures++
	b.reason = reason
	if b.failures >= strikes {
		asked = max(asked, b.pause.NextBackOff())
	}
	b.until = now.Add(asked)
}
