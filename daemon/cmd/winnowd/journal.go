package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/winnow-mcp/winnow/daemon/journal"
)

// journalFlags are the flags of winnowd journal.
type journalFlags struct {
	storage, since string
	filter         journal.Filter
	kind           string
	json           bool
}

func journalCommand(level *slog.LevelVar) *cobra.Command {
	f := &journalFlags{}
	c := runs(&cobra.Command{
		Use: "journal", Short: "Show the record of calls",
		Long: `Shows which tools were called, by whom, how that ended and who confirmed it, and
what was agreed to; the oldest first. Of arguments the record has a hash.`,
	}, level, func(_ context.Context, c *cobra.Command, _ *slog.Logger) error {
		return f.show(c.OutOrStdout(), time.Now())
	})
	set := c.Flags()
	set.StringVar(&f.storage, "storage", "", "the `folder` whose record is shown (default winnow in the user's cache, which winnowd mcp uses)")
	set.StringVar(&f.since, "since", "24h", "how far back: a `time` such as 90m, 24h or 7d, or 2026-01-31 or 2026-01-31T12:00:00Z")
	set.StringVar(&f.filter.Server, "server", "", "only this `server`")
	set.StringVar(&f.filter.Tool, "tool", "", "only this `tool`")
	set.StringVar(&f.filter.Client, "client", "", "only this `client`")
	set.StringVar(&f.filter.Outcome, "outcome", "", "only what ended so: an `outcome` such as ok, error, failed, refused, cancelled or unknown (no end is recorded)")
	set.StringVar(&f.kind, "kind", "", "only this `kind`: call, consent, approval or lost")
	set.BoolVar(&f.json, "json", false, "print each entry as a line of JSON")
	return c
}

// show prints the entries.
func (f *journalFlags) show(out io.Writer, now time.Time) error {
	since, err := parseSince(f.since, now)
	if err != nil {
		return err
	}
	storage, err := storageFolder(f.storage)
	if err != nil {
		return err
	}
	f.filter.Since, f.filter.Kind = since, journal.Kind(f.kind)
	var failed error
	count := 0
	err = journal.Read(journal.Dir(storage), f.filter, func(e journal.Entry) bool {
		count++
		if f.json {
			failed = json.NewEncoder(out).Encode(e)
		} else {
			_, failed = fmt.Fprintln(out, entryLine(&e))
		}
		return failed == nil
	})
	if err == nil && failed == nil && count == 0 && !f.json {
		_, failed = fmt.Fprintf(out, "Nothing since %s in %s.\n", since.Local().Format(time.DateTime), journal.Dir(storage))
	}
	if err != nil {
		return err
	}
	return failed
}

// entryLine formats an entry on one line.
func entryLine(e *journal.Entry) string {
	return strings.Join([]string{e.Time.Local().Format(time.DateTime), e.End(), e.Title(), e.Details()}, "  ")
}

// parseSince decodes the start of the period.
func parseSince(text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return at, nil
		}
	}
	var days int
	if n, err := fmt.Sscanf(text, "%dd", &days); err == nil && n == 1 && text == fmt.Sprintf("%dd", days) && days >= 0 {
		return now.AddDate(0, 0, -days), nil
	}
	back, err := time.ParseDuration(text)
	if err != nil || back < 0 {
		return time.Time{}, fmt.Errorf("-since: %q is no time; give one such as 90m, 24h, 7d, 2026-01-31 or 2026-01-31T12:00:00Z", text)
	}
	return now.Add(-back), nil
}
