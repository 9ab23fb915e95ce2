package mcpserver

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-mcp/winnow/daemon/principal"
)

// The session whose stream is open stays, though others were used later.
func TestSessions_OpenOnesStay(t *testing.T) {
	t.Parallel()
	s := newSessions()
	listening := s.generate(principal.Local)
	leave := s.enter(principal.Local, listening)
	idle := s.generate(principal.Local)
	for range maxSessions {
		s.generate(principal.Local)
	}
	if s.backchannel(principal.Local, listening) == nil {
		t.Error("the session with a stream is gone")
	}
	if s.backchannel(principal.Local, idle) != nil {
		t.Error("the session used longest ago is not gone")
	}
	leave()
	for range maxSessions {
		s.generate(principal.Local)
	}
	if s.backchannel(principal.Local, listening) != nil {
		t.Error("a session without a stream stays for ever")
	}
	s.enter(principal.Local, "unknown")()
}

// A server that does not answer delays the end of a session once, not once for
// each of its subscriptions, and the client that takes its place not at all.
func TestSessions_endAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSessions()
		open := func() string {
			id := s.generate(principal.Local)
			s.add(id, Client{}, &empty{})
			for i := range maxSubscriptions {
				if noted, err := s.subscribed(id, strconv.Itoa(i), func(ctx context.Context) { <-ctx.Done() }); !noted || err != nil {
					t.Fatalf("subscription %d: %v, %v", i, noted, err)
				}
			}
			return id
		}
		left, begun := open(), time.Now()
		if err := s.admits(left, "one more"); !errors.Is(err, errSubscriptions) {
			t.Errorf("one more than %d: %v, want %v", maxSubscriptions, err, errSubscriptions)
		}
		if _, err := s.subscribed(left, "one more", nil); !errors.Is(err, errSubscriptions) {
			t.Errorf("one more than %d: %v, want %v", maxSubscriptions, err, errSubscriptions)
		}
		if noted, err := s.subscribed(left, "0", nil); noted || err != nil {
			t.Errorf("one that there is: %v, %v", noted, err)
		}
		if s.terminate(left); time.Since(begun) != endTime {
			t.Errorf("a session ended after %s, want %s", time.Since(begun), endTime)
		}
		if err := s.admits(left, "0"); !errors.Is(err, errEnded) {
			t.Errorf("a session that has ended: %v, want %v", err, errEnded)
		}
		open()
		open()
		begun = time.Now()
		for range maxSessions {
			s.generate(principal.Local)
		}
		if d := time.Since(begun); d != 0 {
			t.Errorf("new clients waited %s for the end of older sessions", d)
		}
		begun = time.Now()
		if s.close(); time.Since(begun) != endTime {
			t.Errorf("all sessions ended after %s, want %s", time.Since(begun), endTime)
		}
	})
}

// What a client without a session has subscribed to ends with its request, or
// with the server, which waits for it.
func TestSessions_endWith(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, count := newSessions(), 0
		subscribe := func(ctx context.Context) {
			s.endWith(ctx, []func(context.Context){func(context.Context) { time.Sleep(time.Second); count++ }}) // of synctest's clock
		}
		left, leave := context.WithCancel(t.Context())
		subscribe(left)
		subscribe(t.Context())
		leave()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if count != 1 {
			t.Errorf("%d subscriptions have ended, want that of the client that has left", count)
		}
		s.close()
		if count != 2 {
			t.Errorf("%d subscriptions have ended with the server, want both", count)
		}
		if subscribe(t.Context()); count != 3 {
			t.Error("one that begins after the end of the server goes on")
		}
	})
}
