package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
)

func TestResourceSubscriptions(t *testing.T) {
	t.Parallel()
	var r resourceSubscriptions
	r.add("file:///a", "one")
	r.add("file:///a", "one")
	r.add("file:///a", "two")
	r.add("file:///a/b", "two")
	for updated, want := range map[string][]any{
		"file:///a": {"one", "two"}, "file:///a/b/c": {"one", "two"}, "file:///b": nil,
	} {
		if got := r.subscribers(updated); !reflect.DeepEqual(got, want) {
			t.Errorf("of %s are told %v, want %v", updated, got, want)
		}
	}
	if got, want := r.uris(), []string{"file:///a", "file:///a/b"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q have subscribers, want %q", got, want)
	}
	if r.remove("file:///a", "one") || !r.remove("file:///a", "two") || r.remove("file:///a", "two") {
		t.Error("not the last one of a URI is the last")
	}
	if got, want := r.uris(), []string{"file:///a/b"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q are left, want %q", got, want)
	}
}

// TestSubscribe: an update goes to those who have subscribed, also after the
// server was started anew, and to nobody else.
func TestSubscribe(t *testing.T) {
	t.Parallel()
	told := make(chan Announcement, 10)
	d := &fakeDialer{}
	inBubble(t, d, Options{Hooks: Hooks{Announced: func(a Announcement) { told <- a }}}, func(t *testing.T, m *Manager) {
		apply(t, m, fakeServer())
		expectState(t, m, Ready)
		if err := m.Subscribe(t.Context(), "s", "file:///a", "one"); err != nil {
			t.Fatal(err)
		}
		if err := m.Subscribe(t.Context(), "nobody", "file:///a", "one"); err == nil {
			t.Error("subscribed to a server that does not exist")
		}
		if got, want := fmt.Sprint(d.last().subscribed()), "[file:///a]"; got != want {
			t.Errorf("the server was asked for %s, want %s", got, want)
		}
		update := func(uri string) {
			m.announced(Announcement{Server: "s", Method: "notifications/resources/updated", Params: json.RawMessage(`{"uri":"` + uri + `"}`)})
		}
		update("file:///b")
		update("file:///a/part")
		expectTold(t, told, "file:///a/part")

		if err := m.Restart("s"); err != nil {
			t.Fatal(err)
		}
		expectState(t, m, Ready)
		expectTold(t, told, "file:///a")
		if got, want := fmt.Sprint(d.last().subscribed()), "[file:///a]"; got != want {
			t.Errorf("the new server was asked for %s, want %s", got, want)
		}

		if err := m.Unsubscribe(t.Context(), "s", "file:///a", "one"); err != nil {
			t.Error(err)
		}
		if got, want := fmt.Sprint(d.last().subscribed()), "[]"; got != want {
			t.Errorf("the server still has %s, want %s", got, want)
		}
		update("file:///a")
		if len(told) != 0 {
			t.Errorf("told of %+v after the end of the subscription", <-told)
		}
	})
}

// TestSubscribe_crossing: whoever subscribes while the last other subscription
// ends is subscribed in the end, whichever the server is asked first.
func TestSubscribe_crossing(t *testing.T) {
	t.Parallel()
	d := &fakeDialer{}
	inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
		apply(t, m, fakeServer())
		expectState(t, m, Ready)
		if err := m.Subscribe(t.Context(), "s", "file:///a", "one"); err != nil {
			t.Fatal(err)
		}
		busy := make(chan struct{})
		d.last().asked = func(method, _ string) {
			if method == "unsubscribe" {
				<-busy
			}
		}
		var both sync.WaitGroup
		both.Go(func() {
			if err := m.Unsubscribe(t.Context(), "s", "file:///a", "one"); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		both.Go(func() {
			if err := m.Subscribe(t.Context(), "s", "file:///a", "two"); err != nil {
				t.Error(err)
			}
		})
		hasty, cancel := context.WithCancel(t.Context())
		both.Go(func() {
			if err := m.Subscribe(hasty, "s", "file:///a", "three"); !errors.Is(err, context.Canceled) {
				t.Errorf("one that was cancelled while it waited: %v", err)
			}
		})
		synctest.Wait()
		cancel()
		synctest.Wait()
		close(busy)
		both.Wait()
		if got, want := fmt.Sprint(d.last().subscribed()), "[file:///a]"; got != want {
			t.Errorf("the server has %s, want %s", got, want)
		}
		s := m.find("s")
		if got, want := s.subscriptions.subscribers("file:///a"), []any{"two"}; !reflect.DeepEqual(got, want) || len(s.subscriptions.turns) != 0 {
			t.Errorf("%v have subscribed, and %d turns are kept; want %v and none", got, len(s.subscriptions.turns), want)
		}
	})
}

// TestSubscribe_overtaken: a subscription that ended is not ended at the server
// when another one has begun before the server could be told.
func TestSubscribe_overtaken(t *testing.T) {
	t.Parallel()
	d := &fakeDialer{}
	inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
		apply(t, m, fakeServer())
		expectState(t, m, Ready)
		if err := m.Subscribe(t.Context(), "s", "file:///a", "one"); err != nil {
			t.Fatal(err)
		}
		release, err := m.find("s").subscriptions.take(t.Context(), "file:///a")
		if err != nil {
			t.Fatal(err)
		}
		var both sync.WaitGroup
		for _, do := range []func() error{
			func() error { return m.Subscribe(t.Context(), "s", "file:///a", "two") },
			func() error { return m.Unsubscribe(t.Context(), "s", "file:///a", "one") },
		} {
			both.Go(func() {
				if err := do(); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		release()
		both.Wait()
		// Twice, since the fake one counts what it is asked for.
		if got, want := fmt.Sprint(d.last().subscribed()), "[file:///a file:///a]"; got != want {
			t.Errorf("the server has %s, want %s", got, want)
		}
	})
}

// TestSubscribe_endedWhileRenewed: what ends while a new connection is asked for
// other resources is not asked for.
func TestSubscribe_endedWhileRenewed(t *testing.T) {
	t.Parallel()
	var busy chan struct{} // of the bubble
	d := &fakeDialer{tune: func(c *fakeConn) {
		c.asked = func(method, uri string) {
			if c.generation == 2 && method == "subscribe" && uri == "file:///a" {
				<-busy
			}
		}
	}}
	inBubble(t, d, Options{}, func(t *testing.T, m *Manager) {
		busy = make(chan struct{})
		apply(t, m, fakeServer())
		expectState(t, m, Ready)
		for _, uri := range []string{"file:///a", "file:///b"} {
			if err := m.Subscribe(t.Context(), "s", uri, "one"); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Restart("s"); err != nil {
			t.Fatal(err)
		}
		expectState(t, m, Ready)
		if err := m.Unsubscribe(t.Context(), "s", "file:///b", "one"); err != nil {
			t.Error(err)
		}
		close(busy)
		synctest.Wait()
		if got, want := fmt.Sprint(d.last().subscribed()), "[file:///a]"; got != want {
			t.Errorf("the new server was asked for %s, want %s", got, want)
		}
	})
}

func expectTold(t *testing.T, told <-chan Announcement, uri string) {
	t.Helper()
	a := <-told
	if want := `{"uri":"` + uri + `"}`; string(a.Params) != want || !reflect.DeepEqual(a.Sessions, []any{"one"}) {
		t.Errorf("told %v of %s, want one of %s", a.Sessions, a.Params, want)
	}
}
