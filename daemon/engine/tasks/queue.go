package tasks

import (
	"context"
	"sync"
)

// queue orders the requests of one task by arrival, which a mutex would not. The zero
// value is empty.
type queue struct {
	mu      sync.Mutex
	waiting []chan struct{} // guarded by mu; the first one has its turn
}

// place is a place in a queue. Each must be left, even if wait failed.
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

// wait returns when all earlier places have been left, or ctx ends.
func (p place) wait(ctx context.Context) error {
	select {
	case <-p.turn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave gives up the place, whether its turn came or not.
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

// Work is the rest of a request queued among those of its task. It waits for its turn and
// completes the request, with the request's context.
type Work[R any] func() (R, error)

// InOrder joins the task's queue immediately and returns the work, which runs when its
// turn comes. For a shared task it returns work unchanged. The result must be called.
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
