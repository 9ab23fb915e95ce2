package embed

import (
	"time"

	"github.com/cenkalti/backoff/v5"
)

// strikes is how many failures in a row open the breaker.
const strikes = 3

// breaker keeps queries from waiting for a provider that has just failed
// several in a row. While it is open, queries are answered with the reason of
// the last failure; after a pause, longer each time, the next query is let
// through and decides. It belongs to the caller that locks for it.
type breaker struct {
	failures int
	reason   Reason
	until    time.Time
	pause    *backoff.ExponentialBackOff
}

func newBreaker() breaker { return breaker{pause: newPause()} }

// newPause returns the pauses after failures: from about 15 s, doubling up to
// about 10 minutes, spread so that several daemons do not ask at the same moment.
func newPause() *backoff.ExponentialBackOff {
	pause := &backoff.ExponentialBackOff{
		InitialInterval: 15 * time.Second, RandomizationFactor: .2, Multiplier: 2, MaxInterval: 10 * time.Minute,
	}
	pause.Reset()
	return pause
}

// open returns why queries must not be asked now, or [ReasonNone].
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

// fail counts a failure. asked is how long the provider wants to be left
// alone: a wish that is granted at once.
func (b *breaker) fail(now time.Time, reason Reason, asked time.Duration) {
	b.failures++
	b.reason = reason
	if b.failures >= strikes {
		asked = max(asked, b.pause.NextBackOff())
	}
	b.until = now.Add(asked)
}
