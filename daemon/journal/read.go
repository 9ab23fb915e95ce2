package journal

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Filter selects entries. Empty fields admit all.
type Filter struct {
	// Since is the earliest time.
	Since time.Time
	Kind  Kind
	// Server, Tool and Client match the whole name, ignoring case.
	Server, Tool, Client string
	// Outcome matches the whole outcome.
	Outcome string
}

// admits reports whether an entry matches.
func (f *Filter) admits(e *Entry) bool {
	same := func(want, got string) bool { return want == "" || strings.EqualFold(want, got) }
	return !e.Time.Before(f.Since) && (f.Kind == "" || f.Kind == e.Kind) &&
		same(f.Server, e.Server) && same(f.Tool, e.Tool) && same(f.Client, e.Client) &&
		(f.Outcome == "" || f.Outcome == e.Outcome)
}

// maxLine limits a line that is read; no written line is longer.
const maxLine = 2 * (maxArguments + maxDetail + 64<<10)

// Read calls each for the matching entries, oldest first, until it returns false. A
// folder without a record has none. Invalid lines, such as a partial one after a crash,
// are skipped.
func Read(dir string, filter Filter, each func(Entry) bool) error {
	paths, err := files(dir)
	if err != nil {
		return err
	}
	ended := endings{}
	for _, path := range paths {
		if err := ended.add(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("read the record: %w", err)
		}
	}
	for _, path := range paths {
		more, err := readFile(path, &filter, ended, each)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("read the record: %w", err)
		}
		if err == nil && !more {
			return nil
		}
	}
	return nil
}

// files returns the paths of a record, oldest first; the last need not exist.
func files(dir string) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(dir, aside))
	slices.Sort(paths)
	return append(paths, filepath.Join(dir, name)), err
}

// Newest is [Sink.Newest] for the record, including entries recorded before the call.
func (j *Journal) Newest(ctx context.Context, filter Filter, limit int) (newest []Entry, more bool, err error) {
	if j == nil || j.sink == nil {
		return nil, false, nil
	}
	_ = j.store(ctx, nil) // stored entries are returned in any case
	return j.sink.Newest(ctx, filter, limit)
}

// Newest implements [Sink].
func (f *Files) Newest(ctx context.Context, filter Filter, limit int) (newest []Entry, more bool, err error) {
	paths, err := files(filepath.Dir(f.file.path))
	ended := endings{}
	for i := len(paths) - 1; i >= 0 && err == nil && !more; i-- {
		var found []Entry
		if err = ended.add(paths[i]); err == nil {
			_, err = readFile(paths[i], &filter, ended, func(e Entry) bool {
				if found = append(found, e); len(found) > 2*limit { // the oldest of them are not wanted
					found = append(found[:0], found[limit:]...)
				}
				return ctx.Err() == nil
			})
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		slices.Reverse(found)
		newest = append(newest, found...)
		more = len(newest) > limit
	}
	return newest[:min(limit, len(newest))], more, errors.Join(err, ctx.Err())
}

// endings holds the IDs of calls whose outcome was written.
type endings map[string]bool

// add adds those of a file. A call's outcome is in the file of its intent, or in a newer
// one.
func (ended endings) add(path string) error {
	return lines(path, time.Time{}, func(line []byte) bool {
		if !bytes.HasPrefix(line, []byte(`{"id":`)) {
			return true
		}
		var e struct{ ID, Outcome string }
		if json.Unmarshal(line, &e) == nil && e.Outcome != Intent {
			ended[e.ID] = true
		}
		return true
	})
}

// readFile calls each for the matching entries of a file.
func readFile(path string, filter *Filter, ended endings, each func(Entry) bool) (more bool, err error) {
	more = true
	err = lines(path, filter.Since, func(line []byte) bool {
		var e Entry
		if json.Unmarshal(line, &e) != nil || e.Kind == "" {
			return true
		}
		if e.Outcome == Intent {
			if ended[e.ID] {
				return true
			}
			e.Outcome = Unknown
		}
		more = !filter.admits(&e) || each(e)
		return more
	})
	return more, err
}

// lines calls each for the complete lines of a file, until it returns false. It skips a
// file last modified before since.
func lines(path string, since time.Time, each func([]byte) bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err == nil && info.ModTime().Before(since) {
		return nil
	}
	reader := bufio.NewReaderSize(f, maxLine)
	for {
		line, err := reader.ReadSlice('\n')
		if err == nil && !each(line) {
			return nil
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}
