package journal_test

import (
	"context"
	"errors"
	"strings"
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
		_, err := j.Intend(t.Context(), journal.Entry{Kind: journal.Call})
		if (err != nil) != strict || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("strict %t: %v", strict, err)
		}
		j.Close()
	}
}
