package journal

import (
	"bufio"
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

// Filter says which entries are wanted. What is empty admits all.
type Filter struct {
	// Since is the earliest time.
	Since time.Time
	Kind  Kind
	// Server, Tool and Client are compared whole, without regard to case.
	Server, Tool, Client string
	// Outcome is compared whole.
	Outcome string
}

// admits reports whether an entry is wanted.
func (f *Filter) admits(e *Entry) bool {
	same := func(want, got string) bool { return want == "" || strings.EqualFold(want, got) }
	return !e.Time.Before(f.Since) && (f.Kind == "" || f.Kind == e.Kind) &&
		same(f.Server, e.Server) && same(f.Tool, e.Tool) && same(f.Client, e.Client) &&
		(f.Outcome == "" || f.Outcome == e.Outcome)
}

// maxLine bounds a line that is read; no line that was written is longer.
const maxLine = 2 * (maxArguments + maxDetail + 64<<10)

// Read calls each for the entries that a filter admits, the oldest first, until
// it returns false. A folder without a record has none. Lines that are not
// entries, such as half a one after a crash, are passed over.
func Read(dir string, filter Filter, each func(Entry) bool) error {
	paths, err := files(dir)
	if err != nil {
		return err
	}
	for _, path := range paths {
		more, err := readFile(path, &filter, each)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("read the record: %w", err)
		}
		if err == nil && !more {
			return nil
		}
	}
	return nil
}

// files returns the paths of a record, the oldest first; the last need not exist.
func files(dir string) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(dir, aside))
	slices.Sort(paths)
	return append(paths, filepath.Join(dir, name)), err
}

// Newest returns up to limit entries that a filter admits, the newest first, and
// whether there are older ones. Those that were recorded before are among them.
// Of a call that took two the last one is.
func (j *Journal) Newest(ctx context.Context, filter Filter, limit int) (newest []Entry, more bool, err error) {
	if j == nil || j.options.Dir == "" {
		return nil, false, nil
	}
	j.flush(ctx)
	paths, err := files(j.options.Dir)
	ended := map[string]bool{}
	for i := len(paths) - 1; i >= 0 && err == nil && !more; i-- {
		var found []Entry
		_, err = readFile(paths[i], &filter, func(e Entry) bool {
			if found = append(found, e); len(found) > 2*limit { // the oldest of them are not wanted
				found = append(found[:0], found[limit:]...)
			}
			return ctx.Err() == nil
		})
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		slices.Reverse(found)
		found = slices.DeleteFunc(found, func(e Entry) bool {
			again := e.ID != "" && ended[e.ID]
			ended[e.ID] = true
			return again
		})
		newest = append(newest, found...)
		more = len(newest) > limit
	}
	return newest[:min(limit, len(newest))], more, errors.Join(err, ctx.Err())
}

func readFile(path string, filter *Filter, each func(Entry) bool) (more bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }()
	// A file that was full before the time that is asked for has nothing.
	if info, err := f.Stat(); err == nil && info.ModTime().Before(filter.Since) {
		return true, nil
	}
	lines := bufio.NewReaderSize(f, maxLine)
	for {
		line, err := lines.ReadSlice('\n')
		var e Entry
		if err == nil && json.Unmarshal(line, &e) == nil && e.Kind != "" && filter.admits(&e) && !each(e) {
			return false, nil
		}
		switch {
		case errors.Is(err, io.EOF):
			return true, nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return false, err
		}
	}
}
