package editor_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/protocol"
)

// answered is how a request ended.
type answered struct {
	result json.RawMessage
	err    error
}

// begin sends a request; its end comes on the channel.
func begin(h *daemontest.Host, r row) (*daemontest.Pending, <-chan answered) {
	request, end := h.Begin(r.method, r.params), make(chan answered, 1)
	go func() {
		result, err := request.Await()
		end <- answered{result, err}
	}()
	return request, end
}

// TestCancel: a request that the host gives up ends in whatever of the engine it
// waits, wherever that takes a context.
func TestCancel(t *testing.T) {
	t.Parallel()
	for _, r := range rows() {
		if r.result == nil {
			continue
		}
		t.Run(r.method, func(t *testing.T) {
			t.Parallel()
			h, f := overFake(t)
			for i := range r.asks {
				f.expect(r.asks)
				f.hold(i)
				request, end := begin(h, r)
				select {
				case e := <-end: // it does not wait
					if e.err != nil {
						t.Errorf("%s: got %v", r.asks[i].of, e.err)
					}
					continue
				case <-f.held:
				}
				request.Cancel()
				e := <-end
				if got := refused(e.err); got.Code != protocol.CodeRequestCancelled || got.Data.Kind != protocol.KindCancelled {
					t.Errorf("%s waits: got %s, %v; want %s", r.asks[i].of, e.result, e.err, protocol.KindCancelled)
				}
			}
		})
	}
}

// TestCancel_end: the end of the session ends what waits too.
func TestCancel_end(t *testing.T) {
	t.Parallel()
	h, f := overFake(t)
	f.expect(nil)
	f.hold(0)
	_, end := begin(h, row{method: protocol.MethodServerWait, params: protocol.ServerWaitParams{TimeoutMs: 1}})
	<-f.held
	h.Close() // it fails when the session does not end
	<-end
	if !f.isClosed() {
		t.Error("the engine is open")
	}
}

// TestOrder: requests on one task wait for each other, in the order in which
// they came, and no other request waits for them.
func TestOrder(t *testing.T) {
	t.Parallel()
	h, f := overFake(t)
	f.expect(nil)
	f.hold(1)
	turn := func(message string) (*daemontest.Pending, <-chan answered) {
		return begin(h, row{method: protocol.MethodTaskTurn, params: protocol.TaskTurnParams{Task: "task-1", Message: message}})
	}
	first, firstEnd := turn("one")
	<-f.held
	_, secondEnd := turn("two")
	daemontest.Call[protocol.TaskSearchResult](h, protocol.MethodTaskSearch, protocol.TaskSearchParams{Task: "task-2", Query: "notes"})
	var asked []string
	for _, a := range f.took() {
		asked = append(asked, a.of)
	}
	if want := "Tasks.Get Turns.Turn Tasks.Get Tasks.Get Loads.Search"; strings.Join(asked, " ") != want {
		t.Errorf("while the first turn works the engine was asked %q, want %q", asked, want)
	}
	first.Cancel()
	if e := <-firstEnd; refused(e.err).Data.Kind != protocol.KindCancelled {
		t.Errorf("the first turn: got %s, %v; want %s", e.result, e.err, protocol.KindCancelled)
	}
	if e := <-secondEnd; e.err != nil {
		t.Errorf("the second turn: %v", e.err)
	}
	all := f.took()
	if last, want := all[len(all)-1:], []ask{{of: "Turns.Turn", args: args("task-1", &protocol.TaskTurnParams{Task: "task-1", Message: "two"})}}; !same(last, want) {
		t.Errorf("then the engine was asked\n%s, want\n%s", words(last), words(want))
	}
}

// TestFlood: a thousand requests at once are all answered, each by its own
// answer, while one waits.
func TestFlood(t *testing.T) {
	t.Parallel()
	h, f := overFake(t)
	f.expect(nil)
	f.hold(0)
	_, _ = begin(h, row{method: protocol.MethodServerWait, params: protocol.ServerWaitParams{TimeoutMs: 1}})
	<-f.held
	const requests = 1000
	var asking sync.WaitGroup
	for i := range requests {
		asking.Go(func() {
			name := fmt.Sprintf("tool_%d", i)
			raw, err := h.Begin(protocol.MethodTaskCall, protocol.TaskCallParams{Task: "task-1", Name: name}).Await()
			var r protocol.TaskCallResult
			if err == nil {
				err = json.Unmarshal(raw, &r)
			}
			if err != nil || r.Tool != name {
				t.Errorf("the call of %s: got %s, %v", name, raw, err)
			}
		})
	}
	asking.Wait()
}
