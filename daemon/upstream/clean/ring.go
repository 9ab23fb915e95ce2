package clean

import (
	"bytes"
	"strings"
	"sync"
)

// logLimit is the number of bytes kept of a server's output.
const logLimit = 64 << 10

// Ring keeps the last 64 KiB written to it. A write never waits for a reader, so a server
// that floods its stderr cannot block the daemon. Safe for concurrent use.
type Ring struct {
	// mu guards buf and cut.
	mu  sync.Mutex
	buf []byte
	// cut is set once older bytes were dropped.
	cut bool
}

// Write implements io.Writer; it never fails.
func (r *Ring) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(p)
	if n >= logLimit {
		r.buf, r.cut = append(r.buf[:0], p[n-logLimit:]...), true
		return n, nil
	}
	if over := len(r.buf) + n - logLimit; over > 0 {
		// Drop a quarter at a time, so that a flood does not move the whole
		// buffer for each write.
		over = min(max(over, logLimit/4), len(r.buf))
		r.buf, r.cut = append(r.buf[:0], r.buf[over:]...), true
	}
	r.buf = append(r.buf, p...)
	return n, nil
}

// WriteLine adds one line with a prefix. It truncates the line at 2 KiB.
func (r *Ring) WriteLine(prefix string, line []byte) {
	const longest = 2 << 10
	line = bytes.TrimSpace(line)
	entry := make([]byte, 0, len(prefix)+min(len(line), longest)+8)
	if r.midLine() {
		entry = append(entry, '\n')
	}
	entry = append(entry, prefix...)
	if len(line) > longest {
		entry = append(append(entry, line[:longest]...), " …"...)
	} else {
		entry = append(entry, line...)
	}
	_, _ = r.Write(append(entry, '\n'))
}

// midLine reports whether the last line is incomplete.
func (r *Ring) midLine() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.buf) > 0 && r.buf[len(r.buf)-1] != '\n'
}

// String returns the kept bytes. If older bytes were dropped, it starts at the beginning
// of a line: redaction would not recognize half a secret.
func (r *Ring) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	kept := r.buf
	if r.cut {
		if i := bytes.IndexByte(kept, '\n'); i >= 0 {
			kept = kept[i+1:]
		} else {
			kept = nil
		}
	}
	return string(kept)
}

// OurPrefix begins the lines that Winnow writes to a server's log. StartLine begins the
// text of the first line of each attempt.
const (
	OurPrefix = "[winnow] "
	StartLine = "starting"
)

// Lines returns the non-empty lines that the server printed in its current attempt,
// without Winnow's lines. The reason of an exit is among the last.
func (r *Ring) Lines() []string {
	var lines []string
	for line := range strings.Lines(r.String()) {
		line = strings.TrimSpace(line)
		ours, isOurs := strings.CutPrefix(line, OurPrefix)
		switch {
		case isOurs && strings.HasPrefix(ours, StartLine):
			lines = nil
		case line != "" && !isOurs:
			lines = append(lines, line)
		}
	}
	return lines
}
