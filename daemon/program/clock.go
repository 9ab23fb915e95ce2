package program

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"
)

// clock bounds the time of a program, and serializes the questions to the user.
type clock struct {
	mu    sync.Mutex
	timer *time.Timer
	// left is the remaining time at began. waits counts the reasons for which the clock
	// is stopped.
	left  time.Duration
	began time.Time
	waits int
	// asking is full while the user is asked.
	asking chan struct{}
}

type clockKey struct{}

// timed returns a context that ends after a time. [Ask] does not count.
func timed(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		limit = math.MaxInt64 // none
	}
	ctx, cancel := context.WithCancelCause(ctx)
	c := &clock{left: limit, began: time.Now(), asking: make(chan struct{}, 1)}
	c.timer = time.AfterFunc(limit, func() { cancel(fmt.Errorf("the program took longer than %s, and was ended", limit)) })
	return context.WithValue(ctx, clockKey{}, c), func() {
		c.timer.Stop()
		cancel(nil)
	}
}

// Ask runs a question to the user about a call of a program, given the context of the
// call. Questions run one after another, and not after the program has ended. The time
// for the question and for waiting does not count.
func Ask(ctx context.Context, question func() error) error {
	c, ok := ctx.Value(clockKey{}).(*clock)
	if !ok {
		return question()
	}
	c.wait(1)
	defer c.wait(-1)
	select {
	case c.asking <- struct{}{}:
		defer func() { <-c.asking }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return question()
}

// wait adds n to the reasons, and stops or restarts the clock.
func (c *clock) wait(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.waits
	c.waits += n
	switch {
	case before == 0 && c.timer.Stop():
		c.left -= time.Since(c.began)
	case c.waits == 0 && c.left > 0:
		c.began = time.Now()
		c.timer.Reset(c.left)
	}
}
