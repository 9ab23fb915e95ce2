package tasks

import (
	"testing"

	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/router"
)

// Requests on a task that many clients have go side by side, and what one client
// was shown is not kept for the others.
func TestEntry_shared(t *testing.T) {
	t.Parallel()
	s := NewStore(nil)
	e := s.AddShared(principal.Local, "", "all")
	second := make(chan struct{})
	first := InOrder(t.Context(), e, func() (int, error) {
		<-second // in order it would wait for ever
		return 1, nil
	})
	other := InOrder(t.Context(), e, func() (int, error) {
		close(second)
		return 2, nil
	})
	done := make(chan int)
	go func() {
		n, _ := first()
		done <- n
	}()
	if n, err := other(); n != 2 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	if n := <-done; n != 1 {
		t.Errorf("got %d, want 1", n)
	}
	e.Change(router.Task{Generation: 7})
	if got, _, _ := e.Snapshot(); got.Generation != 0 {
		t.Error("a client's change is kept for all")
	}
	before, _, _ := e.Snapshot()
	e.Called(router.ToolID{Server: "s", Tool: "t"})
	if got, _, _ := e.Snapshot(); len(got.Called) != 1 {
		t.Errorf("called: %v, want the one", got.Called)
	}
	e.Replace(before, nil, nil) // by a turn that began before the call
	if got, _, _ := e.Snapshot(); len(got.Called) != 1 {
		t.Errorf("called: %v after another's turn, want the one still", got.Called)
	}
}
