package learned

import (
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/protocol"
)

// TestSavings sums up requests within a week, keeps the sums for the next run,
// and begins anew on Monday and when it is told to.
func TestSavings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	now := time.Date(2026, 11, 22, 23, 59, 0, 0, time.UTC) // a Sunday
	open := func() *Savings {
		s, err := OpenSavings(dir, func() time.Time { return now })
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	want := func(s *Savings, want protocol.WeekSavings) {
		t.Helper()
		if got := s.Week(); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	routed := &protocol.Attachment{Mode: protocol.AttachDynamic, Tokens: protocol.AttachedTokens{Saved: 900, ClientSaved: -50}}
	left := map[string]int{"files": 40, "memory": 7}
	s := open()
	s.Record(routed, left, true)
	s.Record(routed, left, false)
	s.Record(&protocol.Attachment{Mode: protocol.AttachAll, Tokens: protocol.AttachedTokens{Saved: 7}}, nil, true)
	s.Record(&protocol.Attachment{Mode: protocol.AttachAll, Shadow: true, Tokens: protocol.AttachedTokens{Saved: 7}}, nil, true)
	sums := protocol.WeekSavings{Monday: "2026-11-16", Tasks: 1, Requests: 2, ClientSaved: -100, Saved: 1800}
	want(s, sums)
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	s = open()
	want(s, sums)
	now = now.Add(time.Minute)
	want(s, protocol.WeekSavings{Monday: "2026-11-23"})
	s.Record(routed, left, true)
	days := []protocol.DaySavings{
		{Day: "2026-11-22", Tasks: 1, Requests: 2, ClientSaved: -100, Saved: 1800, LeftOut: map[string]int{"files": 80, "memory": 14}},
		{Day: "2026-11-23", Tasks: 1, Requests: 1, ClientSaved: -50, Saved: 900, LeftOut: left},
	}
	if got := s.Days(); !reflect.DeepEqual(got, days) {
		t.Errorf("%+v, want %+v", got, days)
	}
	if err := s.Clear(); err != nil {
		t.Fatal(err)
	}
	want(s, protocol.WeekSavings{Monday: "2026-11-23"})
	want(open(), protocol.WeekSavings{Monday: "2026-11-23"})
	if got := open().Days(); len(got) > 0 {
		t.Errorf("%+v after the sums were cleared", got)
	}
}

// TestSavings_days: the file of a version that kept the sums of a week has them as
// those of its first day, and what is too long ago is left out.
func TestSavings_days(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	dir := t.TempDir()
	old := protocol.WeekSavings{Monday: "2026-11-16", Tasks: 9, Requests: 90, Client: 100_000, ClientSaved: 90_000, Saved: 95_000}
	if err := newFile(dir, "savings", "sums of the week", 2).write(old); err != nil {
		t.Fatal(err)
	}
	s, err := OpenSavings(dir, func() time.Time { return now })
	if err != nil || s.Week() != old {
		t.Fatalf("%+v, %v; want %+v", s.Week(), err, old)
	}
	one := &protocol.Attachment{Mode: protocol.AttachDynamic, Tokens: protocol.AttachedTokens{Saved: 1}}
	for range 2 * maxDays {
		now = now.AddDate(0, 0, 1)
		s.Record(one, map[string]int{"files": 1}, true)
		if err := s.Save(); err != nil {
			t.Fatal(err)
		}
	}
	days := s.Days()
	if last := days[len(days)-1]; len(days) != maxDays || last.Day != now.Format(time.DateOnly) || last.LeftOut["files"] != 1 {
		t.Errorf("%d days, the last is %+v", len(days), last)
	}
	now = now.AddDate(0, 0, maxDays)
	s.Record(one, nil, true)
	if days := s.Days(); len(days) != 1 {
		t.Errorf("after five weeks without a request %d days are left, want the new one alone", len(days))
	}
}

// TestSavings_earlier: sums of a version that did not note what the clients would
// have sent are begun anew: a share of what was noted since would be too high.
func TestSavings_earlier(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	dir := t.TempDir()
	if err := newFile(dir, "savings", "sums of the week", 1).write(protocol.WeekSavings{Monday: "2026-11-16", Tasks: 9, Requests: 90, ClientSaved: 90_000}); err != nil {
		t.Fatal(err)
	}
	s, err := OpenSavings(dir, func() time.Time { return now })
	if err == nil {
		t.Error("nothing is said of the sums that are gone")
	}
	s.Record(&protocol.Attachment{Mode: protocol.AttachDynamic, Tokens: protocol.AttachedTokens{Client: 1000, ClientSaved: 100}}, nil, true)
	if got, want := s.Week(), (protocol.WeekSavings{Monday: "2026-11-16", Tasks: 1, Requests: 1, Client: 1000, ClientSaved: 100}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestSavings_twoWindows: two windows of a workspace add to one sum, and what
// one clears the other does not bring back.
func TestSavings_twoWindows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open := func() *Savings {
		s, err := OpenSavings(dir, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	record := func(s *Savings, saved int) {
		t.Helper()
		s.Record(&protocol.Attachment{Mode: protocol.AttachDynamic, Tokens: protocol.AttachedTokens{Saved: saved}}, nil, true)
		if err := s.Save(); err != nil {
			t.Fatal(err)
		}
	}
	want := func(saved, requests int) {
		t.Helper()
		if got := open().Week(); got.Saved != saved || got.Requests != requests || got.Tasks != requests {
			t.Errorf("got %+v, want %d saved in %d requests", got, saved, requests)
		}
	}
	first, second := open(), open()
	record(first, 100)
	record(second, 10)
	record(first, 1)
	want(111, 3)
	if got := first.Week().Saved; got != 111 {
		t.Errorf("the first window shows %d after it has saved, want what both have", got)
	}
	if err := first.Clear(); err != nil {
		t.Fatal(err)
	}
	record(second, 5)
	want(5, 1)
}

// TestSavings_whileSaved: what is recorded while the sums are saved is in the next
// ones, once.
func TestSavings_whileSaved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := OpenSavings(dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	const requests = 100
	record := func() {
		s.Record(&protocol.Attachment{Mode: protocol.AttachDynamic, Tokens: protocol.AttachedTokens{Saved: 2}}, nil, true)
	}
	var recording sync.WaitGroup
	recording.Go(func() {
		for range requests {
			record()
		}
	})
	for range 10 {
		if err := s.Save(); err != nil {
			t.Error(err)
		}
	}
	recording.Wait()
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	kept, err := OpenSavings(dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if got := kept.Week(); got.Requests != requests || s.Week().Requests != requests {
		t.Errorf("kept %+v, has %+v; want %d requests", got, s.Week(), requests)
	}
}
