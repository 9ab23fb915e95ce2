package relay

import (
	"bufio"
	"context"
	"io"
)

// lineReader reads lines in a goroutine.
type lineReader struct {
	// lines is closed at the end.
	lines chan []byte
	ended error // set before lines is closed
}

// readLines reads until in or ctx ends.
func readLines(ctx context.Context, in io.Reader) *lineReader {
	l := &lineReader{lines: make(chan []byte)}
	go func() {
		defer close(l.lines)
		scanner := bufio.NewScanner(in)
		const firstBuffer = 64 << 10
		scanner.Buffer(make([]byte, 0, firstBuffer), maxLine)
		for scanner.Scan() {
			select {
			case l.lines <- append([]byte(nil), scanner.Bytes()...):
			case <-ctx.Done():
				return
			}
		}
		l.ended = scanner.Err()
	}()
	return l
}
