package broadcast_test

import (
	"testing"

	"github.com/winnow-mcp/winnow/daemon/broadcast"
)

// TestBroadcast: all who wait are woken, once, and a change before they waited
// wakes nobody.
func TestBroadcast(t *testing.T) {
	t.Parallel()
	var b broadcast.Broadcast
	b.Notify()
	one, two := b.Wait(), b.Wait()
	woken := func(c <-chan struct{}) bool {
		select {
		case <-c:
			return true
		default:
			return false
		}
	}
	if woken(one) {
		t.Error("woken before the change")
	}
	b.Notify()
	if !woken(one) || !woken(two) {
		t.Errorf("after the change: got %t and %t, want both woken", woken(one), woken(two))
	}
	if woken(b.Wait()) {
		t.Error("who waits after the change is woken by it")
	}
}
