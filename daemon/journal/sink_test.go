package journal_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/journal/journaltest"
)

func TestFiles(t *testing.T) {
	t.Parallel()
	journaltest.Conform(t, func(t *testing.T) (first, again journal.Sink) {
		t.Helper()
		dir := t.TempDir()
		return journal.NewFiles(dir, 8<<20, 4), journal.NewFiles(dir, 8<<20, 4)
	})
}

// failing is a sink that cannot keep anything.
type failing struct{ journal.Sink }

func (failing) Append(context.Context, []journal.Entry) error { return errors.New("the disk is gone") }

// TestJournal_Strict: who has to have each intent kept is told that one is not;
// anybody else makes the call.
func TestJournal_Strict(t *testing.T) {
	t.Parallel()
	for strict, want := range map[bool]string{true: "not called", false: ""} {
		j := journal.Open(journal.Options{Sink: failing{}, Strict: strict})
		for range 5000 { // however the writer and the caller alternate
			_, err := j.Intend(t.Context(), journal.Entry{Kind: journal.Call})
			if (err != nil) != strict || err != nil && !strings.Contains(err.Error(), want) {
				t.Fatalf("strict %t: %v", strict, err)
			}
		}
		j.Close()
	}
}

// flaky is a sink in memory that can be away.
type flaky struct {
	journal.Sink

	mu      sync.Mutex
	away    bool
	told    chan []journal.Entry // gets each batch that was appended
	entries []journal.Entry
}

func (f *flaky) set(away bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.away = away
}

func (f *flaky) Append(_ context.Context, entries []journal.Entry) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.away {
		return errors.New("away")
	}
	f.entries = append(f.entries, entries...)
	if f.told != nil {
		f.told <- slices.Clone(entries)
	}
	return nil
}

// TestJournal_sinkAway: outcomes that the sink does not take are appended once it is
// back, without another call, or else at the end; intents of calls that were refused
// are not.
func TestJournal_sinkAway(t *testing.T) {
	t.Parallel()
	sink := &flaky{told: make(chan []journal.Entry, 10)}
	j := journal.Open(journal.Options{Sink: sink, Strict: true})
	made, err := j.Intend(t.Context(), journal.Entry{Kind: journal.Call, Tool: "made"})
	if err != nil {
		t.Fatal(err)
	}
	<-sink.told
	end := func(tool string) {
		made.Tool, made.Outcome = tool, journal.OK
		j.Record(made)
		if _, err := j.Intend(t.Context(), journal.Entry{Kind: journal.Call, Tool: "refused"}); err == nil {
			t.Error("a call is made whose intent is not kept")
		}
	}
	sink.set(true)
	end("made")
	sink.set(false)
	if got := <-sink.told; len(got) != 1 || got[0].ID != made.ID || got[0].Outcome != journal.OK || !got[0].Again {
		t.Errorf("once it is back it gets %+v", got)
	}
	sink.set(true)
	end("last")
	sink.set(false)
	j.Close()
	var tools []string
	for _, e := range sink.entries {
		tools = append(tools, e.Tool+" "+e.Outcome)
	}
	if got := strings.Join(tools, ", "); got != "made intent, made ok, last ok" {
		t.Errorf("it has %s", got)
	}
}
