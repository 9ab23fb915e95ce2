package history

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"time"
)

// VSCode is the id of VS Code's reader. Its requests are routed differently.
const VSCode = "vscode"

// Bounds on what is read.
const (
	// maxLine bounds a line, which may hold results of tools.
	maxLine = 64 << 20
	// maxFile bounds a file that is read at once.
	maxFile = 512 << 20
)

// Log holds what readers have read.
type Log struct {
	Conversations []*Conversation
	// Files counts files. Damaged counts lines that are not JSON or too long.
	Files, Damaged int
	// Unknown counts records of unknown kinds, by client and kind.
	Unknown map[string]int

	client string
	seen   map[string]bool
}

// Reader reads the files of one client.
type Reader struct {
	// ID is the client's name on command lines, Name its display name.
	ID, Name string
	// Note is a note for users; it may be empty.
	Note string
	// Patterns returns the patterns of its files for [filepath.Glob].
	Patterns func(Places) []string
	// Read adds the conversations of a file to the log.
	Read func(l *Log, path string, r io.Reader)
}

// Places are the base folders of clients' files.
type Places struct {
	Home, Config string
	// VSCode are additional `User` folders of VS Code.
	VSCode []string
	// Getenv looks up environment variables that move clients' folders.
	Getenv func(string) string
}

// In returns the folder named by an environment variable, or else one below Home.
func (p Places) In(variable string, below ...string) string {
	return cmp.Or(p.Getenv(variable), filepath.Join(append([]string{p.Home}, below...)...))
}

// ReadAll reads the given files, or if files is nil, those in the client's places. The
// error names files that cannot be opened; all others are read.
func (l *Log) ReadAll(r Reader, p Places, files []string) error {
	if files == nil && r.Patterns != nil {
		for _, pattern := range r.Patterns(p) {
			found, err := filepath.Glob(pattern)
			if err != nil {
				return fmt.Errorf("%s: %w", r.Name, err)
			}
			files = append(files, found...)
		}
	}
	var errs []error
	for _, path := range files {
		errs = append(errs, l.readFile(r, path))
	}
	return errors.Join(errs...)
}

func (l *Log) readFile(r Reader, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("%s: %w", r.Name, err)
	}
	defer func() { _ = f.Close() }()
	l.Read(r, path, f)
	return nil
}

// Read reads one file of a client.
func (l *Log) Read(r Reader, path string, in io.Reader) {
	l.client = r.ID
	l.Files++
	r.Read(l, path, in)
}

// Add adds a conversation if it has turns.
func (l *Log) Add(c *Conversation) {
	c.Client = l.client
	if len(c.Turns) > 0 {
		l.Conversations = append(l.Conversations, c)
	}
}

// Calls yields all calls.
func (l *Log) Calls() iter.Seq[*Call] {
	return func(yield func(*Call) bool) {
		for _, c := range l.Conversations {
			for i := range c.Turns {
				for k := range c.Turns[i].Requests {
					calls := c.Turns[i].Requests[k].Calls
					for n := range calls {
						if !yield(&calls[n]) {
							return
						}
					}
				}
			}
		}
	}
}

// Skip counts a record of an unknown kind.
func (l *Log) Skip(kind string) {
	const kinds, length = 200, 60
	key := l.client + ": " + cmp.Or(kind[:min(len(kind), length)], "(no kind)")
	if l.Unknown == nil {
		l.Unknown = map[string]int{}
	}
	if _, known := l.Unknown[key]; !known && len(l.Unknown) >= kinds {
		key = "others"
	}
	l.Unknown[key]++
}

// Seen reports whether a record was read before, in this file or another: clients copy
// messages into the file of a continued conversation. An empty id is never seen.
func (l *Log) Seen(id string) bool {
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	key := l.client + " " + id
	before := l.seen[key]
	l.seen[key] = id != ""
	return before
}

// Lines decodes each line into a new value and calls each with it.
func Lines[T any](l *Log, in io.Reader, each func(*T)) {
	reader := bufio.NewReaderSize(in, 1<<20)
	for {
		line, tooLong, err := readLine(reader)
		if len(bytes.TrimSpace(line)) > 0 || tooLong {
			record := new(T)
			// A member of an unexpected type does not affect the others.
			var mistyped *json.UnmarshalTypeError
			if failed := json.Unmarshal(line, record); tooLong || failed != nil && !errors.As(failed, &mistyped) {
				l.Damaged++
			} else {
				each(record)
			}
		}
		if err != nil {
			return
		}
	}
}

// readLine returns the next line, or the rest of the last one. A line that is too long is
// skipped.
func readLine(r *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > maxLine; !tooLong {
			line = append(line, part...)
		} else {
			line = nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, tooLong, err
		}
	}
}

// Value decodes a file that is one JSON value. It returns false if that fails.
func Value(l *Log, in io.Reader, v any) bool {
	data, err := io.ReadAll(io.LimitReader(in, maxFile))
	var mistyped *json.UnmarshalTypeError
	if err == nil {
		if err = json.Unmarshal(data, v); errors.As(err, &mistyped) {
			err = nil
		}
	}
	if err != nil {
		l.Damaged++
	}
	return err == nil
}

// Millis converts Unix time in milliseconds.
func Millis(ms float64) time.Time { return time.UnixMilli(int64(ms)).UTC() }
