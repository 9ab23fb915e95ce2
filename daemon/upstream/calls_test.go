package upstream

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-mcp/winnow/daemon/upstream/wire"
)

// TestCall_WaitsForTheStart: a call made while the server starts is answered
// when it is ready, or fails with the cause when it does not get there.
func TestCall_WaitsForTheStart(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]error{"ready": nil, "failed": errRefused} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &fakeDialer{answer: func(context.Context, wire.Attempt) error {
				time.Sleep(5 * time.Second)
				return want
			}}
			inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
				apply(t, m, fakeServer())
				began := time.Now()
				_, err := m.Call(t.Context(), CallRequest{Server: "s", Tool: "x"})
				if (err == nil) != (want == nil) || time.Since(began) != 5*time.Second {
					t.Errorf("after %s: %v", time.Since(began), err)
				}
				if want != nil && !strings.Contains(err.Error(), want.Error()) {
					t.Errorf("%v does not say %v", err, want)
				}
			})
		})
	}
}

// TestCall_DeathInFlight: every call under way fails with the cause.
func TestCall_DeathInFlight(t *testing.T) {
	t.Parallel()
	d := &fakeDialer{}
	inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
		apply(t, m, fakeServer())
		expectState(t, m, Ready)
		results := make(chan error, 3)
		for range 3 {
			go func() {
				_, err := m.Call(t.Context(), CallRequest{Server: "s", Tool: "hang"})
				results <- err
			}()
		}
		synctest.Wait()
		cause := errors.New("the disk is full")
		d.last().Fail(cause)
		for range 3 {
			if err := <-results; !errors.Is(err, cause) || !errors.As(err, new(*UnavailableError)) {
				t.Errorf("call answered %v", err)
			}
		}
	})
}

// TestCall_StoppedInFlight: the call says that the server was stopped, and not
// that it will come back.
func TestCall_StoppedInFlight(t *testing.T) {
	t.Parallel()
	d := &fakeDialer{tune: func(c *fakeConn) { c.closing = time.Second }}
	inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
		apply(t, m, fakeServer())
		expectState(t, m, Ready)
		ended := make(chan error, 1)
		go func() {
			_, err := m.Call(t.Context(), CallRequest{Server: "s", Tool: "hang"})
			ended <- err
		}()
		synctest.Wait()
		if err := m.Stop("s"); err != nil {
			t.Fatal(err)
		}
		err := <-ended
		if !errors.As(err, new(*UnavailableError)) || !strings.Contains(err.Error(), "it is being stopped") {
			t.Errorf("call answered %v", err)
		}
		expectState(t, m, Stopped)
		_, err = m.Call(t.Context(), CallRequest{Server: "s", Tool: "x"})
		var stopped *UnavailableError
		if !errors.As(err, &stopped) || stopped.State != Stopped || stopped.Next != "Restart the server to use its tools." {
			t.Errorf("call answered %v, want that it is stopped, and what to do", err)
		}
	})
}

// TestCall_SessionEnded: a call that a server has not looked at, because it
// forgot the session, is made again on a new one, once.
func TestCall_SessionEnded(t *testing.T) {
	t.Parallel()
	d := &fakeDialer{}
	inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
		apply(t, m, fakeServer())
		expectState(t, m, Ready)
		time.Sleep(time.Minute)
		if _, err := m.Call(t.Context(), CallRequest{Server: "s", Tool: "forget"}); err != nil {
			t.Fatal(err)
		}
		if s := expectState(t, m, Ready); s.Generation != 2 {
			t.Errorf("generation %d", s.Generation)
		}
		// A server that forgets at once is not asked for ever.
		d.last().generation = 1
		if _, err := m.Call(t.Context(), CallRequest{Server: "s", Tool: "forget"}); err == nil {
			t.Error("a call to a server that forgets every session has an answer")
		}
	})
}

// TestCall_Cancel: a cancelled call returns the caller's cause, at once.
func TestCall_Cancel(t *testing.T) {
	t.Parallel()
	d := &fakeDialer{}
	inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
		apply(t, m, fakeServer())
		cause := errors.New("the user pressed Escape")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(cause) })
		_, err := m.Call(ctx, CallRequest{Server: "s", Tool: "hang"})
		if !errors.Is(err, cause) {
			t.Errorf("call answered %v", err)
		}
		expectState(t, m, Ready)
	})
}

// TestCall_Closed: a closed manager says so, to waiting calls too.
func TestCall_Closed(t *testing.T) {
	t.Parallel()
	d := &fakeDialer{answer: func(ctx context.Context, _ wire.Attempt) error {
		<-ctx.Done()
		return ctx.Err()
	}}
	synctest.Test(t, func(t *testing.T) {
		m := NewManager(Options{dial: d.dial})
		apply(t, m, fakeServer())
		waiting := make(chan error, 1)
		go func() {
			_, err := m.Call(t.Context(), CallRequest{Server: "s", Tool: "x"})
			waiting <- err
		}()
		synctest.Wait()
		if err := m.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if err := <-waiting; err == nil {
			t.Error("a call to a server that never started has an answer")
		}
		if _, err := m.Call(t.Context(), CallRequest{Server: "s"}); !errors.Is(err, ErrClosed) {
			t.Errorf("call answered %v", err)
		}
		if err := m.Apply(t.Context(), nil); !errors.Is(err, ErrClosed) {
			t.Errorf("apply answered %v", err)
		}
		if err := m.Close(t.Context()); err != nil {
			t.Errorf("closing twice: %v", err)
		}
		for range m.Updates() {
			t.Log("an update that nobody had received")
		}
	})
}

// TestCall_Lazy: a known lazy server starts at its first call, which reports
// how long it waited; an unknown one starts at once, to become known.
func TestCall_Lazy(t *testing.T) {
	t.Parallel()
	d := &fakeDialer{answer: func(context.Context, wire.Attempt) error {
		time.Sleep(3 * time.Second)
		return nil
	}}
	dir := t.TempDir()
	lazy := fakeServer()
	lazy.Lazy = true
	inBubble(t, d, Options{StorageDir: dir}, func(t *testing.T, m *Manager) {
		apply(t, m, lazy)
		expectState(t, m, Starting)
		time.Sleep(3 * time.Second)
		if s := expectState(t, m, Ready); s.FirstUse != 0 {
			t.Errorf("first use %s without a call", s.FirstUse)
		}
	})
	inBubble(t, d, Options{StorageDir: dir}, func(t *testing.T, m *Manager) {
		apply(t, m, lazy)
		time.Sleep(time.Hour)
		expectState(t, m, Known)
		if s, _ := m.Snapshot().Server("s"); len(s.Tools) != 2 || !s.Available() || d.count() != 1 {
			t.Errorf("%d tools, available %t, %d attempts", len(s.Tools), s.Available(), d.count())
		}
		if _, err := m.Call(t.Context(), CallRequest{Server: "s", Tool: "x"}); err != nil {
			t.Fatal(err)
		}
		if s := expectState(t, m, Ready); s.FirstUse != 3*time.Second {
			t.Errorf("first use took %s", s.FirstUse)
		}
	})
}

// TestApply_KnownAtOnce: when Apply returns the snapshot shows the tools of an
// earlier run, in the order of the configuration.
func TestApply_KnownAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other := Config{Name: "z", Command: "other"}
	inBubble(t, &fakeDialer{}, Options{StorageDir: dir}, func(t *testing.T, m *Manager) {
		apply(t, m, other, fakeServer())
		expectState(t, m, Ready)
	})
	d := &fakeDialer{answer: func(ctx context.Context, _ wire.Attempt) error { <-ctx.Done(); return ctx.Err() }}
	inBubble(t, d, Options{StorageDir: dir}, func(t *testing.T, m *Manager) {
		apply(t, m, other, fakeServer())
		snap := m.Snapshot()
		if len(snap.Servers) != 2 || snap.Servers[0].Name != "z" || len(snap.Servers[1].Tools) != 2 {
			t.Errorf("snapshot %+v", snap.Servers)
		}
		for _, s := range snap.Servers {
			if s.Status.Era != wire.EraLegacy {
				t.Errorf("%s: era %q", s.Name, s.Status.Era)
			}
		}
	})
}

// TestApply_SideBySide: servers start at the same time, also beside one that
// never gets there.
func TestApply_SideBySide(t *testing.T) {
	t.Parallel()
	d := &fakeDialer{answer: func(ctx context.Context, a wire.Attempt) error {
		if a.Config.Name == "never" {
			<-ctx.Done()
			return ctx.Err()
		}
		time.Sleep(5 * time.Second)
		return nil
	}}
	inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
		names := []string{"never", "a", "b", "c", "d"}
		var configs []Config
		for _, name := range names {
			configs = append(configs, Config{Name: name, Command: "fake"})
		}
		apply(t, m, configs...)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		for i, s := range m.Snapshot().Servers {
			want := Ready
			if s.Name == "never" {
				want = Starting
			}
			if s.Name != names[i] || s.Status.State != want {
				t.Errorf("server %d is %s, %s", i, s.Name, s.Status.State)
			}
		}
	})
}

// TestApply_Errors: a list that names nobody, or somebody twice, changes
// nothing.
func TestApply_Errors(t *testing.T) {
	t.Parallel()
	d := &fakeDialer{}
	inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
		apply(t, m, fakeServer())
		expectState(t, m, Ready)
		for _, bad := range [][]Config{{{}}, {fakeServer(), fakeServer()}} {
			if err := m.Apply(t.Context(), bad); err == nil {
				t.Errorf("%+v was applied", bad)
			}
		}
		expectState(t, m, Ready)
	})
}
