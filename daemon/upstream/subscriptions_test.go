package upstream

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
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
	if got, want := r.uris("two"), []string{"file:///a", "file:///a/b"}; !reflect.DeepEqual(got, want) {
		t.Errorf("two has %q, want %q", got, want)
	}
	if r.remove("file:///a", "one") || !r.remove("file:///a", "two") || r.remove("file:///a", "two") {
		t.Error("not the last one of a URI is the last")
	}
	if got, want := r.uris(nil), []string{"file:///a/b"}; !reflect.DeepEqual(got, want) {
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

		m.EndSession(t.Context(), "one")
		if got, want := fmt.Sprint(d.last().subscribed()), "[]"; got != want {
			t.Errorf("the server still has %s, want %s", got, want)
		}
		update("file:///a")
		if len(told) != 0 {
			t.Errorf("told of %+v after the end of the session", <-told)
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
