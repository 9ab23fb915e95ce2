package editor_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/daemon/faces/editor"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestMethods_reachTheEngine: the params of each request reach the engine as
// they were sent, and what it answers comes back as it was answered.
func TestMethods_reachTheEngine(t *testing.T) {
	t.Parallel()
	for _, r := range rows() {
		t.Run(r.method, func(t *testing.T) {
			t.Parallel()
			h, f := overFake(t)
			f.expect(r.asks)
			want := r.asks
			if r.result == nil {
				h.Notify(r.method, r.params)
				// What is answered after it came after it.
				daemontest.Call[protocol.ModeListResult](h, protocol.MethodModeList, none)
				want = append(slices.Clip(want), ask{of: "Modes.List"})
			} else if got, want := answer(h, r), codec.Marshal(r.result); !bytes.Equal(got, want) {
				t.Errorf("answered\n%s, want\n%s", got, want)
			}
			if got := f.took(); !same(got, want) {
				t.Errorf("the engine was asked\n%s, want\n%s", words(got), words(want))
			}
		})
	}
}

// answer sends a request, and returns what was answered.
func answer(h *daemontest.Host, r row) json.RawMessage {
	got, err := h.Begin(r.method, r.params).Await()
	if err != nil {
		h.Fatalf("%s: %v", r.method, err)
	}
	return got
}

// same compares what was asked, without the answers.
func same(a, b []ask) bool {
	return slices.EqualFunc(a, b, func(a, b ask) bool {
		return a.of == b.of && slices.EqualFunc(a.args, b.args, reflect.DeepEqual)
	})
}

// words write what was asked for people.
func words(asks []ask) string {
	var text bytes.Buffer
	for _, a := range asks {
		fmt.Fprintf(&text, "\t%s%s\n", a.of, codec.Marshal(a.args))
	}
	return text.String()
}

// TestMethods_areAnswered fails when a method is declared and not answered, or
// answered and not declared.
func TestMethods_areAnswered(t *testing.T) {
	t.Parallel()
	var declared []string
	for _, m := range protocol.Methods() {
		// The connection itself takes cancels.
		if m.Direction != protocol.ToClient && m.Name != protocol.MethodCancelRequest {
			declared = append(declared, m.Name)
		}
	}
	slices.Sort(declared)
	f := newFake()
	if answered := editor.Answered(f.open(host.None{}, nil), fakeGateway{f}); !slices.Equal(declared, answered) {
		t.Errorf("declared %q\nanswered %q", declared, answered)
	}
}

// TestMethods_haveRows fails when a method that is sent to the daemon has no
// row, when its row leaves out a member of its params, or when a row is of
// another type than the method.
func TestMethods_haveRows(t *testing.T) {
	t.Parallel()
	own := []string{ // which the session and its connection answer: lifecycle_test.go and cancel_test.go
		protocol.MethodInitialize, protocol.MethodInitialized, protocol.MethodShutdown, protocol.MethodExit, protocol.MethodCancelRequest,
	}
	all := rows()
	for _, m := range protocol.Methods() {
		if m.Direction == protocol.ToClient || slices.Contains(own, m.Name) {
			continue
		}
		sent := map[string]bool{}
		found := false
		for _, r := range all {
			if r.method != m.Name {
				continue
			}
			found = true
			if got, want := fmt.Sprintf("%T, %T", r.params, r.result), fmt.Sprintf("%T, %T", m.Params, m.Result); got != want {
				t.Errorf("the row of %s is of %s, want %s", m.Name, got, want)
			}
			var members map[string]json.RawMessage
			if err := json.Unmarshal(codec.Marshal(r.params), &members); err != nil {
				t.Fatal(err)
			}
			for name, value := range members {
				if !slices.Contains([]string{`""`, `0`, `false`, `null`, `[]`, `{}`}, string(value)) {
					sent[name] = true
				}
			}
		}
		if !found {
			t.Errorf("%s has no row: say in rows_test.go what of the engine it reaches", m.Name)
			continue
		}
		for _, name := range editor.Members()[m.Name] {
			if !sent[name] {
				t.Errorf("no row of %s sends a value of %q", m.Name, name)
			}
		}
	}
}

// TestMethods_failAsTheEngine: whatever of the engine refuses, the host gets that
// refusal, and nothing more is asked.
func TestMethods_failAsTheEngine(t *testing.T) {
	t.Parallel()
	refusal := failure.New(protocol.KindLimit, "Attach fewer.", "the limit is reached").OfTool("notes", "read")
	for _, r := range rows() {
		if r.result == nil {
			continue
		}
		t.Run(r.method, func(t *testing.T) {
			t.Parallel()
			h, f := overFake(t)
			for i := range r.asks {
				f.expect(r.asks)
				f.fail(i, refusal)
				raw, err := h.Begin(r.method, r.params).Await()
				if !f.hasFailed() { // it cannot
					if err != nil {
						t.Errorf("%s: got %v", r.asks[i].of, err)
					}
					continue
				}
				want := daemontest.Error{Code: protocol.CodeLimitReached, Message: refusal.Cause, Data: refusal.Data()}
				want.Data.Kind = protocol.KindLimit
				if got := refused(err); !reflect.DeepEqual(got, want) {
					t.Errorf("%s fails: answered %s, %+v; want %+v", r.asks[i].of, raw, got, want)
				}
				if got := f.took(); !same(got, r.asks[:i+1]) {
					t.Errorf("%s fails: the engine was asked\n%s, want\n%s", r.asks[i].of, words(got), words(r.asks[:i+1]))
				}
			}
		})
	}
}
