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

// VSCode is the id of VS Code's reader: its requests are routed otherwise than others.
const VSCode = "vscode"

// Bounds on what is read.
const (
	// maxLine bounds a line; results of tools stand in them.
	maxLine = 64 << 20
	// maxFile bounds a file that has to be read at once.
	maxFile = 512 << 20
)

// Log is what readers have found.
type Log struct {
	Conversations []*Conversation
	// Files and Damaged count files, and lines that are no JSON or too long.
	Files, Damaged int
	// Unknown counts records of kinds that are not known, by client and kind.
	Unknown map[string]int

	client string
	seen   map[string]bool
}

// Reader reads what one client keeps.
type Reader struct {
	// ID names the client on command lines, Name to people.
	ID, Name string
	// Note is what people have to know of it; it may be empty.
	Note string
	// Patterns are where its files are, as for [filepath.Glob].
	Patterns func(Places) []string
	// Read adds the conversations of a file to the log.
	Read func(l *Log, path string, r io.Reader)
}

// Places are the folders below which clients keep what they keep.
type Places struct {
	Home, Config string
	// VSCode are further folders `User` of VS Code's.
	VSCode []string
	// Getenv looks up variables that clients take other folders from.
	Getenv func(string) string
}

// In returns the folder that a variable names, or else one below Home.
func (p Places) In(variable string, below ...string) string {
	return cmp.Or(p.Getenv(variable), filepath.Join(append([]string{p.Home}, below...)...))
}

// ReadAll reads what a client keeps in its own places, or the given files.
// The error names files that cannot be opened; all others are read.
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

// Read reads one file of a client's.
func (l *Log) Read(r Reader, path string, in io.Reader) {
	l.client = r.ID
	l.Files++
	r.Read(l, path, in)
}

// Add adds a conversation in which somebody said something.
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

// Skip counts a record of a kind that is not known.
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

// Seen reports whether a record has been read before, in this file or another: clients
// copy what was said into the file of a conversation that goes on. An empty id is of
// no record.
func (l *Log) Seen(id string) bool {
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	key := l.client + " " + id
	before := l.seen[key]
	l.seen[key] = id != ""
	return before
}

// Lines decodes each line into a value of its own and hands it over.
func Lines[T any](l *Log, in io.Reader, each func(*T)) {
	reader := bufio.NewReaderSize(in, 1<<20)
	for {
		line, tooLong, err := readLine(reader)
		if len(bytes.TrimSpace(line)) > 0 || tooLong {
			record := new(T)
			// A member of another type than is known leaves the others as they are.
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

// readLine returns the next line, or what there is of the last one. One that is too
// long is passed over.
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

// Value decodes a file that is one JSON value.
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

// Millis is a time that a client writes in milliseconds of Unix time.
func Millis(ms float64) time.Time { return time.UnixMilli(int64(ms)).UTC() }
