package upstream

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-mcp/winnow/daemon/upstream/fault"
	"github.com/winnow-mcp/winnow/daemon/upstream/wire"
)

// TestManager_Close_busy: servers that were killed are waited for where the machine lets
// them exit late; what does not exit at all is said.
func TestManager_Close_busy(t *testing.T) {
	t.Parallel()
	for closing, late := range map[time.Duration]bool{2 * time.Second: false, time.Hour: true} {
		d := &fakeDialer{tune: func(c *fakeConn) { c.closing = closing }}
		inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
			apply(t, m, fakeServer())
			expectState(t, m, Ready)
			ctx, end := context.WithCancel(t.Context())
			end()
			if err := m.Close(ctx); (err != nil) != late {
				t.Errorf("servers that take %s: %v", closing, err)
			}
			time.Sleep(closing)
		})
	}
}

// TestServer_Backoff: the delays double from one second to five minutes, each
// within its jitter.
func TestServer_Backoff(t *testing.T) {
	t.Parallel()
	d := &fakeDialer{answer: func(context.Context, wire.Attempt) error { return errRefused }}
	inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
		apply(t, m, fakeServer())
		want := time.Second
		for n := 1; n <= 12; n++ {
			s := expectState(t, m, Failed)
			if d.count() != n || s.Error != "connection refused" {
				t.Fatalf("attempt %d: %d attempts, error %q", n, d.count(), s.Error)
			}
			delay := time.Until(s.RetryAt)
			low, high := want*8/10, min(want*12/10+time.Millisecond, 5*time.Minute)
			if delay < low || delay > high {
				t.Errorf("after attempt %d the delay is %s, want %s to %s", n, delay, low, high)
			}
			time.Sleep(delay)
			want = min(2*want, 5*time.Minute)
		}
	})
}

// TestServer_Silent: a server that takes long to answer is said so, and is there
// when it does.
func TestServer_Silent(t *testing.T) {
	t.Parallel()
	d := &fakeDialer{answer: func(ctx context.Context, _ wire.Attempt) error {
		select {
		case <-time.After(slowAfter + 20*time.Second):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
	inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
		began := time.Now()
		apply(t, m, fakeServer())
		if s := expectState(t, m, Starting); s.Error != "" {
			t.Errorf("at once it is said that %s", s.Error)
		}
		time.Sleep(slowAfter + time.Second)
		if s, want := expectState(t, m, Starting), "it has not answered since "+began.Format(time.TimeOnly); s.Error != want {
			t.Errorf("got %q, want %q", s.Error, want)
		}
		time.Sleep(20 * time.Second)
		if s := expectState(t, m, Ready); s.Error != "" || s.Next != "" {
			t.Errorf("it is ready, and still %q", s.Error)
		}
	})
}

// TestServer_BackoffResetsAfterAStableMinute: a server that dies young waits
// longer each time; one that lived a minute begins at one second again.
func TestServer_BackoffResetsAfterAStableMinute(t *testing.T) {
	t.Parallel()
	d := &fakeDialer{}
	inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
		apply(t, m, fakeServer())
		die := func(after time.Duration) time.Duration {
			expectState(t, m, Ready)
			time.Sleep(after)
			d.last().Fail(errors.New("died"))
			s := expectState(t, m, Failed)
			delay := time.Until(s.RetryAt)
			time.Sleep(delay)
			return delay
		}
		for range 5 {
			die(time.Second)
		}
		if delay := die(wire.StableAfter - time.Second); delay < 20*time.Second {
			t.Errorf("after six short lives the delay is %s", delay)
		}
		if delay := die(wire.StableAfter); delay > 2*time.Second {
			t.Errorf("after a stable minute the delay is %s", delay)
		}
	})
}

// TestServer_ToolsSurviveDeath: the tools stay, in order, in every state.
func TestServer_ToolsSurviveDeath(t *testing.T) {
	t.Parallel()
	d := &fakeDialer{}
	inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
		check := func(state State) {
			t.Helper()
			expectState(t, m, state)
			if s, _ := m.Snapshot().Server("s"); !slices.Equal(toolNames(s), []string{"a", "b"}) {
				t.Errorf("state %s has tools %q", state, toolNames(s))
			}
		}
		apply(t, m, fakeServer())
		check(Ready)
		d.last().Fail(errors.New("died"))
		check(Failed)
		if err := m.Stop("s"); err != nil {
			t.Fatal(err)
		}
		check(Stopped)
		disabled := fakeServer()
		disabled.Disabled = true
		apply(t, m, disabled)
		check(Disabled)
	})
}

// TestServer_LateResult: an attempt that was given up does not count when it
// succeeds after all, and its connection is closed.
func TestServer_LateResult(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	d := &fakeDialer{}
	d.answer = func(_ context.Context, a wire.Attempt) error {
		if a.Generation == 1 {
			<-release
		}
		return nil
	}
	synctest.Test(t, func(t *testing.T) {
		release = make(chan struct{})
		m := NewManager(Options{dial: d.dial})
		apply(t, m, fakeServer())
		expectState(t, m, Starting)
		changed := fakeServer()
		changed.Args = []string{"changed"}
		apply(t, m, changed)
		synctest.Wait()
		if d.count() != 1 {
			t.Errorf("%d attempts while the first one has not ended", d.count())
		}
		close(release)
		s := expectState(t, m, Ready)
		if s.Generation != 2 || d.attempts[1].Config.Args[0] != "changed" {
			t.Errorf("generation %d with %q", s.Generation, d.attempts[1].Config.Args)
		}
		if !over(d.conns[0].closed) {
			t.Error("the connection of the first attempt was not closed")
		}
		if err := m.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestServer_UnchangedIsUntouched: applying the same configuration, or one
// that differs in how the server is used only, makes no new connection.
func TestServer_UnchangedIsUntouched(t *testing.T) {
	t.Parallel()
	d := &fakeDialer{}
	inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
		apply(t, m, fakeServer())
		expectState(t, m, Ready)
		version := m.Snapshot().Version
		apply(t, m, fakeServer())
		policy := fakeServer()
		policy.Timeout = 3 * time.Second
		apply(t, m, policy, Config{Name: "other", Command: "x"})
		if s := expectState(t, m, Ready); s.Generation != 1 {
			t.Errorf("generation %d", s.Generation)
		}
		if m.Snapshot().Version == version {
			t.Error("a new server did not make a new snapshot")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		_, err := m.Call(ctx, CallRequest{Server: "s", Tool: "x"})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestServer_BurstOfChanges: of many configurations in a row only the last is
// started.
func TestServer_BurstOfChanges(t *testing.T) {
	t.Parallel()
	d := &fakeDialer{tune: func(c *fakeConn) { c.closing = time.Second }}
	inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
		apply(t, m, fakeServer())
		expectState(t, m, Ready)
		for _, arg := range []string{"1", "2", "3", "4", "5"} {
			changed := fakeServer()
			changed.Args = []string{arg}
			apply(t, m, changed)
			synctest.Wait()
		}
		expectState(t, m, Starting)
		time.Sleep(2 * time.Second)
		expectState(t, m, Ready)
		if n := d.count(); n != 2 {
			t.Errorf("%d attempts for a burst of five changes", n)
		}
		if got := d.attempts[len(d.attempts)-1].Config.Args[0]; got != "5" {
			t.Errorf("the last attempt is for %q", got)
		}
	})
}

// TestServer_StopRestart: a stopped server stays stopped, whatever is applied,
// until it is restarted.
func TestServer_StopRestart(t *testing.T) {
	t.Parallel()
	d := &fakeDialer{}
	inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
		apply(t, m, fakeServer())
		expectState(t, m, Ready)
		if err := m.Stop("s"); err != nil {
			t.Fatal(err)
		}
		expectState(t, m, Stopped)
		changed := fakeServer()
		changed.Args = []string{"changed"}
		apply(t, m, changed)
		expectState(t, m, Stopped)
		_, err := m.Call(t.Context(), CallRequest{Server: "s", Tool: "x"})
		var unavailable *UnavailableError
		if !errors.As(err, &unavailable) || unavailable.State != Stopped {
			t.Errorf("call answered %v", err)
		}
		if err := m.Restart("s"); err != nil {
			t.Fatal(err)
		}
		if s := expectState(t, m, Ready); s.Generation != 2 {
			t.Errorf("generation %d", s.Generation)
		}
	})
}

// TestServer_RestartSkipsTheWait: a restart does not wait for the next retry,
// and the delays begin anew.
func TestServer_RestartSkipsTheWait(t *testing.T) {
	t.Parallel()
	d := &fakeDialer{answer: func(context.Context, wire.Attempt) error { return errRefused }}
	inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
		apply(t, m, fakeServer())
		for range 6 {
			time.Sleep(time.Until(expectState(t, m, Failed).RetryAt))
		}
		expectState(t, m, Failed)
		n := d.count()
		if err := m.Restart("s"); err != nil {
			t.Fatal(err)
		}
		if delay := time.Until(expectState(t, m, Failed).RetryAt); delay > 2*time.Second || d.count() != n+1 {
			t.Errorf("%d attempts, next in %s", d.count()-n, delay)
		}
	})
}

// TestServer_RemoveAndReturn: a removed server is closed and leaves; one that
// comes back is started again.
func TestServer_RemoveAndReturn(t *testing.T) {
	t.Parallel()
	d := &fakeDialer{}
	inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
		apply(t, m, fakeServer())
		expectState(t, m, Ready)
		first := d.last()
		apply(t, m)
		synctest.Wait()
		if len(m.Snapshot().Servers) != 0 || !over(first.closed) || m.find("s") != nil {
			t.Error("the server has not left")
		}
		_, err := m.Call(t.Context(), CallRequest{Server: "s", Tool: "x"})
		if !errors.As(err, new(*UnknownServerError)) {
			t.Errorf("call answered %v", err)
		}
		apply(t, m, fakeServer())
		expectState(t, m, Ready)
		// Gone and back before the goroutine has looked.
		apply(t, m)
		apply(t, m, fakeServer())
		expectState(t, m, Ready)
	})
}

// TestServer_SignedOut: a server that wants a sign-in is not tried again by
// itself.
func TestServer_SignedOut(t *testing.T) {
	t.Parallel()
	d := &fakeDialer{answer: func(_ context.Context, a wire.Attempt) error {
		if a.Generation == 1 {
			return &wire.SignInWanted{Reason: "it asks for a sign-in", Challenge: []string{"Bearer"}}
		}
		return nil
	}}
	inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
		apply(t, m, fakeServer())
		s := expectState(t, m, SignedOut)
		if s.Next == "" || !s.RetryAt.IsZero() {
			t.Errorf("status %+v", s)
		}
		time.Sleep(time.Hour)
		expectState(t, m, SignedOut)
		if err := m.Restart("s"); err != nil {
			t.Fatal(err)
		}
		expectState(t, m, Ready)
	})
}

// TestServer_PermanentFailure: what another attempt cannot cure is not tried
// again until the configuration changes.
func TestServer_PermanentFailure(t *testing.T) {
	t.Parallel()
	d := &fakeDialer{answer: func(_ context.Context, a wire.Attempt) error {
		if len(a.Config.Args) == 0 {
			return &fault.Failure{Permanent: true, Err: errors.New("no such thing"), Next: "Correct it."}
		}
		return nil
	}}
	inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
		apply(t, m, fakeServer())
		if s := expectState(t, m, Failed); s.Next != "Correct it." || !s.RetryAt.IsZero() {
			t.Errorf("status %+v", s)
		}
		time.Sleep(time.Hour)
		if d.count() != 1 {
			t.Errorf("%d attempts", d.count())
		}
		changed := fakeServer()
		changed.Args = []string{"right"}
		apply(t, m, changed)
		expectState(t, m, Ready)
	})
}

// TestServer_Hold: a held server is listed and not started, and says what it
// waits for.
func TestServer_Hold(t *testing.T) {
	t.Parallel()
	d := &fakeDialer{}
	inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
		held := fakeServer()
		held.Hold = Hold{Kind: "consent", Text: "waiting for consent"}
		apply(t, m, held)
		if s := expectState(t, m, Configured); s.Next != "waiting for consent" {
			t.Errorf("next step %q", s.Next)
		}
		_, err := m.Call(t.Context(), CallRequest{Server: "s", Tool: "x"})
		var unavailable *UnavailableError
		if !errors.As(err, &unavailable) || unavailable.Next != "waiting for consent" || d.count() != 0 {
			t.Errorf("call answered %v after %d attempts", err, d.count())
		}
		// A call in the moment in which it is let go waits for its start.
		if err := m.Apply(t.Context(), []Config{fakeServer()}); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Call(t.Context(), CallRequest{Server: "s", Tool: "x"}); err != nil {
			t.Errorf("a call as soon as it may start: %v", err)
		}
		expectState(t, m, Ready)
	})
}

// TestServer_Ping: one unanswered ping is forgiven, two in a row are the end
// of the connection.
func TestServer_Ping(t *testing.T) {
	t.Parallel()
	var silent atomic.Bool
	d := &fakeDialer{tune: func(c *fakeConn) {
		c.hasPing = true
		c.pingErr = func() error {
			if silent.Load() {
				return errors.New("it did not answer a ping")
			}
			return nil
		}
	}}
	inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
		apply(t, m, fakeServer())
		expectState(t, m, Ready)
		time.Sleep(10*pingEvery + 100*time.Millisecond)
		expectState(t, m, Ready)
		silent.Store(true)
		time.Sleep(pingEvery)
		expectState(t, m, Ready)
		silent.Store(false)
		time.Sleep(pingEvery)
		silent.Store(true)
		time.Sleep(pingEvery)
		expectState(t, m, Ready)
		time.Sleep(pingEvery)
		if s := expectState(t, m, Failed); s.Error != "it did not answer a ping" {
			t.Errorf("error %q", s.Error)
		}
	})
}

// TestServer_Debounce: announcements in a burst are one listing after a quiet
// time; a stream of them is one listing each two seconds; an unchanged list is
// no new snapshot.
func TestServer_Debounce(t *testing.T) {
	t.Parallel()
	var listed atomic.Int32
	names := []string{"a"}
	d := &fakeDialer{tune: func(c *fakeConn) {
		c.tools = func() (wire.Listing, error) {
			listed.Add(1)
			return fakeListing(names...), nil
		}
	}}
	inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
		apply(t, m, fakeServer())
		expectState(t, m, Ready)
		announce := func(n int, every time.Duration) {
			for range n {
				d.last().change <- struct{}{}
				time.Sleep(every)
				synctest.Wait()
			}
		}
		listed.Store(0)
		names = []string{"a", "b"}
		announce(5, 10*time.Millisecond)
		if n := listed.Load(); n != 0 {
			t.Errorf("listed %d times during the burst", n)
		}
		time.Sleep(quietTime)
		synctest.Wait()
		if s, _ := m.Snapshot().Server("s"); listed.Load() != 1 || !slices.Equal(toolNames(s), names) {
			t.Errorf("listed %d times, tools %q", listed.Load(), toolNames(s))
		}
		listed.Store(0)
		version := m.Snapshot().Version
		announce(1000, 10*time.Millisecond)
		time.Sleep(quietTime)
		synctest.Wait()
		if n := listed.Load(); n < 4 || n > 6 {
			t.Errorf("listed %d times in ten seconds of announcements", n)
		}
		if m.Snapshot().Version != version {
			t.Error("an unchanged list made a new snapshot")
		}
	})
}

// TestServer_ListingFails: the old tools stay, with a warning.
func TestServer_ListingFails(t *testing.T) {
	t.Parallel()
	broken := false
	d := &fakeDialer{tune: func(c *fakeConn) {
		c.tools = func() (wire.Listing, error) {
			if broken {
				return wire.Listing{}, errors.New("database is locked")
			}
			return fakeListing("a"), nil
		}
	}}
	inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
		apply(t, m, fakeServer())
		expectState(t, m, Ready)
		broken = true
		d.last().change <- struct{}{}
		time.Sleep(time.Second)
		s := expectState(t, m, Ready)
		if snap, _ := m.Snapshot().Server("s"); len(snap.Tools) != 1 || len(s.Warnings) != 1 {
			t.Errorf("%d tools, warnings %q", len(snap.Tools), s.Warnings)
		}
	})
}

// TestServer_Silences: attempts without an answer are counted until one gets
// any.
func TestServer_Silences(t *testing.T) {
	t.Parallel()
	d := &fakeDialer{answer: func(_ context.Context, a wire.Attempt) error {
		switch a.Generation {
		case 1, 2:
			return &wire.SilentError{Err: errors.New("it exited")}
		case 3:
			return errRefused
		default:
			return nil
		}
	}}
	inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
		apply(t, m, fakeServer())
		for range 3 {
			time.Sleep(time.Until(expectState(t, m, Failed).RetryAt))
		}
		expectState(t, m, Ready)
		for i, want := range []int{0, 1, 2, 0} {
			if got := d.attempts[i].Silences; got != want {
				t.Errorf("attempt %d knows of %d silences, want %d", i+1, got, want)
			}
		}
	})
}
