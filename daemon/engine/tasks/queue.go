package tasks

import (
	"context"
	"sync"
)

// queue lets requests of one task take turns in the order of their arrival. A
// mutex would let them in by chance. The zero value is free.
type queue struct {
	mu      sync.Mutex
	waiting []chan struct{} // guarded by mu; the first one is in
}

// place is a place in a queue. Each must be left, also when wait failed.
type place struct {
	queue *queue
	turn  chan struct{}
}

// join takes the next place. It does not block.
func (q *queue) join() place {
	q.mu.Lock()
	defer q.mu.Unlock()
	turn := make(chan struct{})
	if len(q.waiting) == 0 {
		close(turn)
	}
	q.waiting = append(q.waiting, turn)
	return place{q, turn}
}

// wait returns when all who came before have left, or when ctx ends.
func (p place) wait(ctx context.Context) error {
	select {
	case <-p.turn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave gives the place up, whether its turn came or not.
func (p place) leave() {
	q := p.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, turn := range q.waiting {
		if turn != p.turn {
			continue
		}
		q.waiting = append(q.waiting[:i], q.waiting[i+1:]...)
		if i == 0 && len(q.waiting) > 0 {
			close(q.waiting[0])
		}
		return
	}
}

// Work is the rest of a request that has its place among those of its task. It
// waits for its turn and does what is left; its context is the request's.
type Work[R any] func() (R, error)

// InOrder takes the next place in a task's order at once, and returns the work,
// which is done when its turn comes; for a task that is shared it is the work as it
// is. The work must be called.
func InOrder[R any](ctx context.Context, e *Entry, work func() (R, error)) Work[R] {
	if e.Shared {
		return work
	}
	at := e.queue.join()
	return func() (R, error) {
		defer at.leave()
		if err := at.wait(ctx); err != nil {
			var none R
			return none, err
		}
		return work()
	}
}
