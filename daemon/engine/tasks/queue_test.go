package tasks

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

func TestQueue_letsInByArrival(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var (
			l     queue
			mu    sync.Mutex
			order []int
			wg    sync.WaitGroup
		)
		const n = 50
		tickets := make([]place, n)
		for i := range tickets {
			tickets[i] = l.join()
		}
		// The goroutines begin in the opposite order.
		for i := n - 1; i >= 0; i-- {
			wg.Go(func() {
				defer tickets[i].leave()
				if err := tickets[i].wait(t.Context()); err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				order = append(order, i)
			})
			synctest.Wait()
		}
		wg.Wait()
		if len(order) != n || !slices.IsSorted(order) {
			t.Errorf("order %v", order)
		}
		if len(l.waiting) != 0 {
			t.Errorf("%d places are still taken", len(l.waiting))
		}
	})
}

func TestQueue_whoGivesUpHoldsUpNobody(t *testing.T) {
	t.Parallel()
	var l queue
	first, second, third := l.join(), l.join(), l.join()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := second.wait(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that was cancelled returned %v", err)
	}
	second.leave()
	select {
	case <-third.turn:
		t.Error("the third is in before the first left")
	default:
	}
	first.leave()
	if err := third.wait(t.Context()); err != nil {
		t.Error(err)
	}
	third.leave()
	third.leave() // to leave twice is harmless
	if err := l.join().wait(t.Context()); err != nil {
		t.Error(err)
	}
}
