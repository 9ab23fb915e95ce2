package daemon

import (
	"context"
	"sync"
)

// lane lets requests of one task take turns in the order of their arrival. A
// mutex would let them in by chance. The zero value is free.
type lane struct {
	mu    sync.Mutex
	queue []chan struct{} // guarded by mu; the first one is in
}

// ticket is a place in a lane. Each must be left, also when wait failed.
type ticket struct {
	lane *lane
	turn chan struct{}
}

// join takes the next place. It does not block.
func (l *lane) join() ticket {
	l.mu.Lock()
	defer l.mu.Unlock()
	turn := make(chan struct{})
	if len(l.queue) == 0 {
		close(turn)
	}
	l.queue = append(l.queue, turn)
	return ticket{l, turn}
}

// wait returns when all who came before have left, or when ctx ends.
func (t ticket) wait(ctx context.Context) error {
	select {
	case <-t.turn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave gives the place up, whether its turn came or not.
func (t ticket) leave() {
	l := t.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, turn := range l.queue {
		if turn != t.turn {
			continue
		}
		l.queue = append(l.queue[:i], l.queue[i+1:]...)
		if i == 0 && len(l.queue) > 0 {
			close(l.queue[0])
		}
		return
	}
}
