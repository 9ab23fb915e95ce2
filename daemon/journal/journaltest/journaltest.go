// Package journaltest tests implementations of [journal.Sink].
package journaltest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/principal"
)

// Conform tests a sink. open returns an empty one and a second one over the same storage.
func Conform(t *testing.T, open func(t *testing.T) (first, again journal.Sink)) {
	t.Helper()
	at := time.Date(2026, 11, 24, 5, 0, 0, 0, time.UTC)
	entry := func(second int, e journal.Entry) journal.Entry {
		e.Time, e.Kind = at.Add(time.Duration(second)*time.Second), journal.Call
		return e
	}
	t.Run("entries come back whole, the newest first", func(t *testing.T) {
		t.Parallel()
		first, again := open(t)
		whole := entry(1, journal.Entry{
			ID: "i", Principal: principal.Principal{Issuer: "https://a.example", Subject: "alice"}, Client: "c \"x\"\n", Task: "t", Server: "s", Tool: "t",
			ArgumentsHash: "abcd", Arguments: []byte(`{"b":1,"a":"é"}`), From: []string{"a/b"}, RunBy: journal.RunByHost, Outcome: journal.OK, DurationMs: 1.5, By: "client",
			Detail: "what\tit said",
		})
		if err := first.Append(t.Context(), []journal.Entry{entry(0, journal.Entry{Server: "old", Outcome: journal.OK}), whole}); err != nil {
			t.Fatal(err)
		}
		for _, sink := range []journal.Sink{first, again} {
			got, more, err := sink.Newest(t.Context(), journal.Filter{}, 1)
			if err != nil || !more || len(got) != 1 {
				t.Fatalf("newest: %d, more %t, %v", len(got), more, err)
			}
			if !got[0].Time.Equal(whole.Time) {
				t.Errorf("at %v, want %v", got[0].Time, whole.Time)
			}
			got[0].Time = whole.Time
			if fmt.Sprintf("%+v", got[0]) != fmt.Sprintf("%+v", whole) {
				t.Errorf("got  %+v\nwant %+v", got[0], whole)
			}
		}
	})
	t.Run("an intent is unknown until its outcome is kept", func(t *testing.T) {
		t.Parallel()
		sink, again := open(t)
		for i, e := range []journal.Entry{{ID: "a", Tool: "open", Outcome: journal.Intent}, {ID: "b", Tool: "ended", Outcome: journal.Intent}, {ID: "b", Tool: "ended", Outcome: journal.Errored}} {
			if err := sink.Append(t.Context(), []journal.Entry{entry(i, e)}); err != nil {
				t.Fatal(err)
			}
		}
		if got := told(t, again, journal.Filter{}); got != "ended error, open unknown" {
			t.Errorf("got %s", got)
		}
		if got := told(t, again, journal.Filter{Outcome: journal.Unknown}); got != "open unknown" {
			t.Errorf("of unknown outcome: %s", got)
		}
	})
	t.Run("what a filter names is compared", func(t *testing.T) {
		t.Parallel()
		sink, _ := open(t)
		var all []journal.Entry
		for i, tool := range []string{"a", "b", "A"} {
			all = append(all, entry(i, journal.Entry{Server: "s" + tool, Tool: tool, Client: "c", Outcome: journal.OK}))
		}
		if err := sink.Append(t.Context(), all); err != nil {
			t.Fatal(err)
		}
		for _, one := range []struct {
			filter journal.Filter
			want   string
		}{
			{journal.Filter{Tool: "a"}, "A ok, a ok"},
			{journal.Filter{Server: "SB"}, "b ok"},
			{journal.Filter{Since: at.Add(time.Second)}, "A ok, b ok"},
			{journal.Filter{Kind: journal.Consent}, ""},
			{journal.Filter{Client: "c", Outcome: "OK"}, ""},
		} {
			if got := told(t, sink, one.filter); got != one.want {
				t.Errorf("%+v: got %q, want %q", one.filter, got, one.want)
			}
		}
	})
	t.Run("two that append lose nothing", func(t *testing.T) {
		t.Parallel()
		first, again := open(t)
		var appending sync.WaitGroup
		for _, sink := range []journal.Sink{first, again} {
			appending.Go(func() {
				for i := range 20 {
					if err := sink.Append(context.WithoutCancel(t.Context()), []journal.Entry{entry(i, journal.Entry{Tool: "t", Outcome: journal.OK})}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		appending.Wait()
		if got := strings.Count(told(t, first, journal.Filter{}), "ok"); got != 40 {
			t.Errorf("%d are kept, want 40", got)
		}
	})
}

// told lists the newest entries.
func told(t *testing.T, sink journal.Sink, f journal.Filter) string {
	t.Helper()
	newest, _, err := sink.Newest(t.Context(), f, 100)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range newest {
		names = append(names, e.Tool+" "+e.Outcome)
	}
	return strings.Join(names, ", ")
}
