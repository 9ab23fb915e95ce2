package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"
)

// listPatience is how long a client's list waits for servers that run. Of one
// that takes longer it has what is known of it; the client is told when there
// is more.
const listPatience = time.Second

// lists read what servers list besides tools. A server that hangs costs no
// client more than listPatience, and no more than one request at a time.
type lists struct {
	life    context.Context //nolint:containedctx // of reads that outlast the request for which they began
	reading *sync.WaitGroup

	// mu guards what follows.
	mu sync.Mutex
	// known is what each server has listed last.
	known map[listKey][]json.RawMessage
	// late are the reads that take longer than a client waits, with whom to tell
	// of what comes.
	late map[listKey][]func()
}

// listKey is one list of one server.
type listKey struct{ server, method string }

// listing is what a server answered.
type listing struct {
	entries []json.RawMessage
	err     error
}

// read returns what a server lists: what fetch returns or, while that takes too
// long, what is known. Then changed is called when fetch returns something else.
// An error is fetch's, or ctx's.
func (l *lists) read(ctx context.Context, key listKey, fetch func(ctx context.Context) ([]json.RawMessage, error), changed func()) ([]json.RawMessage, error) {
	if known, late := l.join(key, changed); late {
		return known, nil
	}
	answer := make(chan listing, 1)
	l.reading.Go(func() {
		entries, err := fetch(l.life)
		l.settle(key, listing{entries, err}, answer)
	})
	patience := time.NewTimer(listPatience)
	defer patience.Stop()
	select {
	case a := <-answer:
		return a.entries, a.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-patience.C:
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case a := <-answer: // in this very moment
		return a.entries, a.err
	default:
	}
	if l.late == nil {
		l.late = map[listKey][]func(){}
	}
	l.late[key] = append(l.late[key], changed)
	return l.known[key], nil
}

// join waits with others for a read that takes long already, if there is one,
// and returns what is known meanwhile.
func (l *lists) join(key listKey, changed func()) (known []json.RawMessage, late bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	waiting, late := l.late[key]
	if late {
		l.late[key] = append(waiting, changed)
	}
	return l.known[key], late
}

// settle notes what a server has listed, and tells those who were answered
// without it.
func (l *lists) settle(key listKey, a listing, answer chan<- listing) {
	for _, changed := range l.note(key, a, answer) {
		changed()
	}
}

// note answers who waits for a list, and returns what tells those who did not
// wait, where it is news to them.
func (l *lists) note(key listKey, a listing, answer chan<- listing) (waiting []func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	answer <- a // it has room
	waiting = l.late[key]
	delete(l.late, key)
	if a.err != nil {
		return nil
	}
	same := slices.EqualFunc(l.known[key], a.entries, func(x, y json.RawMessage) bool { return bytes.Equal(x, y) })
	if l.known == nil {
		l.known = map[listKey][]json.RawMessage{}
	}
	l.known[key] = a.entries
	if same {
		return nil
	}
	return waiting
}
