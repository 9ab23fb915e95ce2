package journal

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func all(t *testing.T, dir string, f Filter) []Entry {
	t.Helper()
	var found []Entry
	if err := Read(dir, f, func(e Entry) bool { found = append(found, e); return true }); err != nil {
		t.Fatal(err)
	}
	return found
}

func TestJournal_KeepsWhatIsRecorded(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	start := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	j := Open(Options{Dir: dir, Now: func() time.Time { return start }})
	want := Entry{
		Time: start, Kind: Call, Client: "editor", Task: "t1", Server: "github", Tool: "create_issue",
		ArgumentsHash: Hash([]byte(`{}`)), Outcome: "ok", DurationMs: 1.5, By: "user",
	}
	j.Record(want)
	j.Record(Entry{Time: start.Add(time.Hour), Kind: Consent, Server: "other", Outcome: "allowed", Arguments: json.RawMessage(`{`), Detail: strings.Repeat("x", 2*maxDetail)})
	j.Close()
	j.Record(want) // after the end: nothing happens
	j.Close()

	found := all(t, dir, Filter{})
	if len(found) != 2 || found[0].Server != want.Server || found[0].DurationMs != want.DurationMs || !found[0].Time.Equal(start) {
		t.Fatalf("got %+v", found)
	}
	if got := found[1]; len(got.Detail) > maxDetail+8 || got.Arguments != nil {
		t.Errorf("a long detail and broken arguments are kept: %d bytes, %s", len(got.Detail), got.Arguments)
	}
	info, err := os.Stat(filepath.Join(dir, name))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v; want it for the user alone", info.Mode(), err)
	}
}

func TestRead_Filter(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	start := time.Now()
	j := Open(Options{Dir: dir})
	j.Record(Entry{Time: start.Add(-time.Hour), Kind: Call, Server: "a", Tool: "x", Client: "Cursor", Outcome: "ok"})
	j.Record(Entry{Time: start, Kind: Call, Server: "A", Tool: "y", Client: "vscode", Outcome: "error"})
	j.Record(Entry{Time: start.Add(time.Second), Kind: Consent, Server: "b", Outcome: "allowed"})
	j.Close()
	for _, tt := range []struct {
		name   string
		filter Filter
		want   int
	}{
		{"all", Filter{}, 3},
		{"since", Filter{Since: start}, 2},
		{"server", Filter{Server: "a"}, 2},
		{"tool", Filter{Server: "a", Tool: "y"}, 1},
		{"client", Filter{Client: "cursor"}, 1},
		{"kind", Filter{Kind: Consent}, 1},
		{"outcome", Filter{Outcome: "error"}, 1},
		{"nothing", Filter{Server: "c"}, 0},
		{"a time to come", Filter{Since: time.Now().Add(time.Hour)}, 0},
	} {
		if got := all(t, dir, tt.filter); len(got) != tt.want {
			t.Errorf("%s: got %d entries, want %d: %+v", tt.name, len(got), tt.want, got)
		}
	}
	count := 0
	if err := Read(dir, Filter{}, func(Entry) bool { count++; return false }); err != nil || count != 1 {
		t.Errorf("read on after it was stopped: %d, %v", count, err)
	}
	if got := all(t, t.TempDir(), Filter{}); len(got) != 0 {
		t.Errorf("a folder without a record: %+v", got)
	}
}

// TestJournal_Rotates: two processes append to one folder, the files stay small,
// the oldest go, and no line is torn.
func TestJournal_Rotates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const each = 500
	var running sync.WaitGroup
	for range 2 {
		running.Go(func() {
			j := Open(Options{Dir: dir, MaxBytes: 8 << 10, MaxFiles: 3})
			for range each {
				j.Record(Entry{Kind: Call, Server: strings.Repeat("s", 50), Outcome: "ok"})
			}
			j.Close()
		})
	}
	running.Wait()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) > 4 {
		t.Errorf("%d files are kept, want at most 4: %v", len(files), err)
	}
	lines := 0
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
			if !json.Valid([]byte(line)) {
				t.Errorf("%s has a torn line: %q", path, line)
			}
			lines++
		}
	}
	if lines == 0 || len(all(t, dir, Filter{})) != lines {
		t.Errorf("read %d of %d lines", len(all(t, dir, Filter{})), lines)
	}
}

// TestJournal_Newest: the newest come first, across files, and what was recorded
// a moment ago is among them.
func TestJournal_Newest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := Open(Options{Dir: dir, MaxBytes: 4 << 10})
	defer j.Close()
	const all = 60
	for i := range all {
		j.Record(Entry{Kind: Call, Server: []string{"even", "odd"}[i%2], Tool: strconv.Itoa(i), Outcome: "ok", Detail: strings.Repeat("x", 200)})
		if _, _, err := j.Newest(t.Context(), Filter{}, 1); err != nil { // a batch of its own, so that files are put aside
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		filter Filter
		limit  int
		first  string
		count  int
		more   bool
	}{
		{Filter{}, 1, "59", 1, true},
		{Filter{}, 40, "59", 40, true},
		{Filter{Server: "even"}, 25, "58", 25, true},
		{Filter{}, all, "59", all, false},
		{Filter{Server: "none"}, all, "", 0, false},
	} {
		got, more, err := j.Newest(t.Context(), tt.filter, tt.limit)
		if err != nil || len(got) != tt.count || more != tt.more {
			t.Errorf("%+v: got %d entries, more %v, %v", tt, len(got), more, err)
			continue
		}
		if tt.count > 0 && got[0].Tool != tt.first {
			t.Errorf("%+v: got %s first", tt, got[0].Tool)
		}
		if !slices.IsSortedFunc(got, func(a, b Entry) int { return b.Time.Compare(a.Time) }) {
			t.Errorf("%+v: they are not the newest first", tt)
		}
	}
	j.Close()
	if got, _, err := j.Newest(t.Context(), Filter{}, all); err != nil || len(got) != all {
		t.Errorf("after the end: %d entries, %v", len(got), err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, _, err := j.Newest(ended, Filter{}, all); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if got, more, err := (*Journal)(nil).Newest(t.Context(), Filter{}, all); len(got) != 0 || more || err != nil {
		t.Errorf("no record: %v, %v, %v", got, more, err)
	}
}

// TestRead_PassesOverBrokenLines: what a crash leaves costs itself only.
func TestRead_PassesOverBrokenLines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := "{\"kind\":\"call\",\"ser\n" + strings.Repeat("x", maxLine+10) + "\n{\"time\":\"2026-01-02T03:04:05Z\",\"kind\":\"call\",\"server\":\"a\"}\n{\"kind\":\"ca"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := all(t, dir, Filter{}); len(got) != 1 || got[0].Server != "a" {
		t.Errorf("got %+v, want the one whole entry", got)
	}
}

// TestJournal_DiskInTheWay: what cannot be written stops nothing.
func TestJournal_DiskInTheWay(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	j := Open(Options{Dir: filepath.Join(file, "dir")})
	for range 3 * queueLength {
		j.Record(Entry{Kind: Call, Outcome: "ok"})
	}
	j.Close()
	(*Journal)(nil).Record(Entry{})
	(*Journal)(nil).Close()
	none := Open(Options{})
	none.Record(Entry{Kind: Call})
	none.Close()
}

// BenchmarkRecord measures what a call pays, with the disk keeping up or not.
func BenchmarkRecord(b *testing.B) {
	j := Open(Options{Dir: b.TempDir()})
	e := Entry{
		Kind: Call, Client: "editor", Task: "0123456789abcdef", Server: "github", Tool: "create_issue",
		ArgumentsHash: Hash([]byte(`{"title":"x"}`)), Outcome: "ok", DurationMs: 12.25, By: "user",
	}
	b.ReportAllocs()
	for b.Loop() {
		j.Record(e)
	}
	lost := j.lost.Load()
	j.Close()
	b.ReportMetric(float64(lost)/float64(b.N), "lost/op")
}

// What the disk did not take is counted, and told when it takes something again.
func TestJournal_countsWhatTheDiskDidNotTake(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "record")
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // where the folder is to be
		t.Fatal(err)
	}
	j := Open(Options{Dir: dir})
	for range 3 {
		j.Record(Entry{Kind: Call, Server: "a", Outcome: "ok"})
	}
	_ = j.store(t.Context(), nil)
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	j.Record(Entry{Kind: Call, Server: "b", Outcome: "ok"})
	j.Close()
	lost := all(t, dir, Filter{Kind: Lost})
	if len(lost) != 1 || !strings.HasPrefix(lost[0].Detail, "3 entries") {
		t.Errorf("got %+v, want one entry for the 3 that were lost", lost)
	}
	if rest := all(t, dir, Filter{Kind: Call}); len(rest) != 1 || rest[0].Server != "b" {
		t.Errorf("got %+v, want the call that the disk took", rest)
	}
}

// TestJournal_Intend: a call is one entry for readers, with the outcome unknown
// until the line of its end is there, in whatever file that is. What is exported
// are outcomes only.
func TestJournal_Intend(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var exported []string
	j := Open(Options{Dir: dir, MaxBytes: 600, Export: func(e Entry) { exported = append(exported, e.Outcome) }})
	open := intend(t, j, Entry{Kind: Call, Tool: "open"})
	ended := intend(t, j, Entry{Kind: Call, Tool: "ended"})
	if found := all(t, dir, Filter{}); len(found) != 2 || found[0].Outcome != Unknown || found[1].Outcome != Unknown || open.ID == ended.ID {
		t.Errorf("before they end: got %+v", found)
	}
	for range 6 { // the end is in a file of its own
		j.Record(Entry{Kind: Consent, Server: "other", Outcome: "allowed"})
		_ = j.store(t.Context(), nil)
	}
	ended.Outcome = OK
	j.Record(ended)
	newest, _, err := j.Newest(t.Context(), Filter{Kind: Call}, 10)
	if err != nil || len(newest) != 2 || newest[0].Outcome != OK || newest[1].Outcome != Unknown {
		t.Errorf("the newest are %+v, %v", newest, err)
	}
	if files, err := files(dir); err != nil || len(files) < 2 {
		t.Fatalf("all is in %q, %v", files, err)
	}
	if found := all(t, dir, Filter{Outcome: Unknown}); len(found) != 1 || found[0].Tool != "open" {
		t.Errorf("unknown are %+v", found)
	}
	j.Close()
	if slices.Contains(exported, Intent) || !slices.Contains(exported, OK) {
		t.Errorf("exported are %q", exported)
	}
}

func intend(t *testing.T, j *Journal, e Entry) Entry {
	t.Helper()
	e, err := j.Intend(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// memory is a sink that can be away.
type memory struct {
	Sink

	away    error
	entries []Entry
}

func (m *memory) Append(_ context.Context, entries []Entry) error {
	if m.away == nil {
		m.entries = append(m.entries, entries...)
	}
	return m.away
}

// TestJournal_keep: more than memory keeps while the sink is away is counted and said,
// once, and so is what is not recorded to the end.
func TestJournal_keep(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	sink := &memory{away: errors.New("away")}
	j := &Journal{sink: sink, options: Options{Strict: true, Log: slog.New(slog.NewTextHandler(&log, nil)), Now: time.Now}}
	large, all := strings.Repeat("x", 60_000), 400 // 24 MB
	for range all {
		one := []Entry{{Kind: Call, Outcome: OK, Detail: large}, {Kind: Call, Outcome: Intent}}
		j.keep(one, j.append(t.Context(), one))
	}
	kept := len(j.unstored)
	if want := maxUnstored / (len(large) + entrySize); kept != want {
		t.Errorf("%d are kept, want %d", kept, want)
	}
	if text := log.String(); strings.Count(text, "level=WARN") != 1 || strings.Count(text, "level=ERROR") != 1 || !strings.Contains(text, "more wait to be written than memory keeps") {
		t.Errorf("the log says %s", text)
	}
	j.finish(t.Context())
	if text := log.String(); !strings.Contains(text, "could not be written to the end") || !strings.Contains(text, "entries="+strconv.Itoa(kept)) {
		t.Errorf("the log says %s", text)
	}
	sink.away = nil
	if err := j.retry(t.Context()); err != nil || len(j.unstored) != 0 || j.unstoredSize != 0 {
		t.Errorf("%d of %d bytes wait still, %v", len(j.unstored), j.unstoredSize, err)
	}
	lost := 0
	for _, e := range sink.entries {
		if e.Kind == Lost {
			lost++
			if !strings.HasPrefix(e.Detail, strconv.Itoa(all-kept)+" entries") {
				t.Errorf("%d are missing, and the record says %q", all-kept, e.Detail)
			}
		}
	}
	if lost != 1 || len(sink.entries) != kept+1 {
		t.Errorf("it has %d entries, %d that say what is missing", len(sink.entries), lost)
	}
}
