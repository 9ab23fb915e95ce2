package wire

import (
	"time"

	"github.com/cenkalti/backoff/v5"
)

const (
	firstRetry = time.Second
	lastRetry  = 5 * time.Minute
	// retryJitter spreads the retries of servers that failed together.
	retryJitter = 0.2
	// StableAfter is how long a connection must last for the backoff to be reset.
	StableAfter = time.Minute
)

// NewBackoff returns the delays between attempts to start one server: 1 s, doubling up to
// 5 min, each ±20 %.
func NewBackoff() *backoff.ExponentialBackOff {
	return &backoff.ExponentialBackOff{
		InitialInterval:     firstRetry,
		Multiplier:          2,
		RandomizationFactor: retryJitter,
		MaxInterval:         lastRetry,
	}
}

// NextRetry returns the next delay, at most 5 min. The library adds jitter to its maximum
// too.
func NextRetry(b *backoff.ExponentialBackOff) time.Duration {
	return min(b.NextBackOff(), lastRetry)
}
