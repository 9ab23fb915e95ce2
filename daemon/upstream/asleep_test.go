package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/daemon/upstream/wire"
)

// TestAsleep: a server stops when nothing has used it for its idle time, counted
// from the last answer, and starts when it is called.
func TestAsleep(t *testing.T) {
	t.Parallel()
	const idle = 10 * time.Minute
	d := &fakeDialer{answer: func(context.Context, wire.Attempt) error {
		time.Sleep(time.Second)
		return nil
	}}
	cfg := fakeServer()
	cfg.Idle = idle
	slept := 0
	inBubble(t, d, Options{Slept: func(string) { slept++ }}, func(t *testing.T, m *Manager) {
		apply(t, m, cfg)
		time.Sleep(time.Second + idle/2)
		expectState(t, m, Ready)
		if _, err := tryCall(t, m, "s", "a", ""); err != nil {
			t.Fatal(err)
		}
		time.Sleep(idle - time.Second)
		expectState(t, m, Ready)
		time.Sleep(time.Second)
		expectState(t, m, Known)
		if s, _ := m.Snapshot().Server("s"); len(s.Tools) != 2 || !over(d.last().closed) || slept != 1 {
			t.Errorf("asleep with %d tools, told %d times", len(s.Tools), slept)
		}
		time.Sleep(24 * time.Hour)
		if expectState(t, m, Known); d.count() != 1 {
			t.Errorf("%d starts", d.count())
		}
		var told []string
		_, err := m.Call(t.Context(), CallRequest{Server: "s", Tool: "a", Progress: func(p Progress) { told = append(told, p.Message) }})
		if err != nil || !slices.Equal(told, []string{`MCP server "s" starts`}) {
			t.Errorf("called: %v, and the client is told %q", err, told)
		}
		expectState(t, m, Ready)

		ctx, cancel := context.WithTimeout(t.Context(), 3*idle)
		defer cancel()
		if _, err := m.Call(ctx, CallRequest{Server: "s", Tool: "hang"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a call of three idle times ends with %v", err)
		}
		time.Sleep(idle)
		expectState(t, m, Known)
	})
}

// TestAsleep_not: who keeps what a new process would not have is not stopped.
func TestAsleep_not(t *testing.T) {
	t.Parallel()
	const idle = time.Minute
	for name, keep := range map[string]func(t *testing.T, m *Manager, d *fakeDialer){
		"eager": nil,
		"a subscription": func(t *testing.T, m *Manager, _ *fakeDialer) {
			if err := m.Subscribe(t.Context(), "s", "file:///a", "one"); err != nil {
				t.Error(err)
			}
		},
		"other tools than at its start": func(_ *testing.T, _ *Manager, d *fakeDialer) {
			d.last().tools = func() (wire.Listing, error) { return fakeListing("a", "c"), nil }
			d.last().change <- struct{}{}
		},
		"a sign-in": func(t *testing.T, m *Manager, _ *fakeDialer) {
			s := m.find("s")
			ask := func(context.Context, string, string, json.RawMessage) (json.RawMessage, error) { return nil, nil }
			_, err := s.watched(&Caller{Ask: ask}).Ask(t.Context(), "s", "elicitation/create", json.RawMessage(`{"mode":"url","url":"https://x"}`))
			if err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &fakeDialer{}
			inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
				cfg := fakeServer()
				if keep != nil {
					cfg.Idle = idle
				}
				apply(t, m, cfg)
				expectState(t, m, Ready)
				if keep != nil {
					keep(t, m, d)
				}
				time.Sleep(time.Hour)
				expectState(t, m, Ready)
				if name != "a subscription" {
					return
				}
				if err := m.Unsubscribe(t.Context(), "s", "file:///a", "one"); err != nil {
					t.Error(err)
				}
				time.Sleep(idle)
				expectState(t, m, Known)
			})
		})
	}
}

// TestAsleep_processes: calls of several clients whenever a real process is about to be
// stopped, or just was, are all answered, and at the end no process is left.
func TestAsleep_processes(t *testing.T) {
	t.Parallel()
	slept := make(chan struct{}, 1)
	began := upstreamtest.Listen(t)
	m := newTestManager(t, Options{Slept: func(string) {
		select {
		case slept <- struct{}{}:
		default:
		}
	}})
	cfg := scriptedConfig(t, "s", upstreamtest.Script{PIDFile: began.Address()})
	cfg.Idle = time.Millisecond
	apply(t, m, cfg)
	var clients sync.WaitGroup
	for client := range 4 {
		clients.Go(func() {
			for turn := range 15 {
				r, err := tryCall(t, m, "s", "echo", fmt.Sprintf(`{"n":"%d/%d"}`, client, turn))
				if err != nil {
					t.Errorf("client %d, call %d: %v", client, turn, err)
					return
				}
				if want := fmt.Sprintf(`{"n":"%d/%d"}`, client, turn); firstText(t, r) != want {
					t.Errorf("client %d got %s, want %s", client, firstText(t, r), want)
				}
				time.Sleep(time.Duration(turn%4) * time.Millisecond)
			}
		})
	}
	clients.Wait()
	waitState(t, m, "s", Known)
	upstreamtest.UntilGone(t, parsePIDs(t, began.Text())...)
	select {
	case <-slept: // told a moment after the process has ended
	case <-time.After(time.Minute):
		t.Error("it never slept")
	}
}
