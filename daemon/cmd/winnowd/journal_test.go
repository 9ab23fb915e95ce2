package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/journal"
)

func TestParseSince(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 10, 12, 0, 0, 0, time.Local)
	for text, want := range map[string]time.Time{
		"90m":                  now.Add(-90 * time.Minute),
		"7d":                   now.AddDate(0, 0, -7),
		"0s":                   now,
		"2026-05-01":           time.Date(2026, 5, 1, 0, 0, 0, 0, time.Local),
		"2026-05-01T10:00:00Z": time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC),
	} {
		if got, err := parseSince(text, now); err != nil || !got.Equal(want) {
			t.Errorf("%s: got %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "yesterday", "-1h", "7", "7days", "-3d"} {
		if got, err := parseSince(text, now); err == nil || !strings.Contains(err.Error(), "-since") {
			t.Errorf("%q: got %v, %v; want an error that says what to give", text, got, err)
		}
	}
}

// TestJournal_show: what is asked for is printed, and no control character is.
func TestJournal_show(t *testing.T) {
	t.Parallel()
	storage := t.TempDir()
	now := time.Now()
	j := journal.Open(journal.Options{Dir: journal.Dir(storage)})
	j.Record(journal.Entry{Time: now.Add(-48 * time.Hour), Kind: journal.Call, Server: "old", Outcome: "ok"})
	j.Record(journal.Entry{Time: now, Kind: journal.Call, Server: "github", Tool: "create_issue", Client: "Cur\x1b[31msor", By: "user", Outcome: "refused", Detail: "no"})
	j.Record(journal.Entry{Time: now, Kind: journal.Consent, Server: "other", Outcome: "allowed"})
	j.Close()
	for _, tt := range []struct {
		flags journalFlags
		want  []string // one for each line
	}{
		{journalFlags{since: "24h"}, []string{"github/create_issue", "other"}},
		{journalFlags{since: "3d"}, []string{"old", "github/create_issue", "other"}},
		{journalFlags{since: "24h", kind: "call"}, []string{"refused  github/create_issue  call, for Cur\\x1b[31msor, confirmed by user: no"}},
		{journalFlags{since: "24h", json: true, filter: journal.Filter{Server: "github"}}, []string{`"tool":"create_issue"`}},
		{journalFlags{since: "0s"}, []string{"Nothing since"}},
	} {
		tt.flags.storage = storage
		var out bytes.Buffer
		if err := tt.flags.show(&out, now.Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != len(tt.want) {
			t.Errorf("%+v: got\n%s\nwant %d lines", tt.flags, out.String(), len(tt.want))
			continue
		}
		for i, want := range tt.want {
			if !strings.Contains(lines[i], want) || strings.Contains(lines[i], "\x1b") {
				t.Errorf("%+v: got %q, want %q in it", tt.flags, lines[i], want)
			}
		}
	}
}
