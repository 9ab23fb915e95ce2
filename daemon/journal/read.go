package journal

import (
	"bufio"
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
	paths, err := filepath.Glob(filepath.Join(dir, aside))
	if err != nil {
		return err
	}
	slices.Sort(paths)
	for _, path := range append(paths, filepath.Join(dir, name)) {
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
