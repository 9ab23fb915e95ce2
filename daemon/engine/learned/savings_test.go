package learned

import (
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
	s := open()
	s.Record(routed, true)
	s.Record(routed, false)
	s.Record(&protocol.Attachment{Mode: protocol.AttachAll, Tokens: protocol.AttachedTokens{Saved: 7}}, true)
	s.Record(&protocol.Attachment{Mode: protocol.AttachAll, Shadow: true, Tokens: protocol.AttachedTokens{Saved: 7}}, true)
	sums := protocol.WeekSavings{Monday: "2026-11-16", Tasks: 1, Requests: 2, ClientSaved: -100, Saved: 1800}
	want(s, sums)
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	s = open()
	want(s, sums)
	now = now.Add(time.Minute)
	want(s, protocol.WeekSavings{Monday: "2026-11-23"})
	s.Record(routed, true)
	if err := s.Clear(); err != nil {
		t.Fatal(err)
	}
	want(s, protocol.WeekSavings{Monday: "2026-11-23"})
	want(open(), protocol.WeekSavings{Monday: "2026-11-23"})
}
