package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"
)

// listPatience is how long a client's list waits for ready servers. A slower server
// contributes its last known list, and the client is notified when there is a newer one.
const listPatience = time.Second

// lists reads and caches the servers' lists other than tools. A hanging server delays a
// client by listPatience at most. Only one request per list is under way.
type lists struct {
	life    context.Context //nolint:containedctx // for reads that outlast the request that started them
	reading *sync.WaitGroup

	// mu guards what follows.
	mu sync.Mutex
	// known is the last list of each server.
	known map[listKey][]json.RawMessage
	// reads holds the reads under way.
	reads map[listKey]*read
}

// listKey is one list of one server.
type listKey struct{ server, method string }

// read is one request for a list, shared by all callers that wait for it.
type read struct {
	fetch func(ctx context.Context) ([]json.RawMessage, error)
	// done is closed when entries and err are set.
	done    chan struct{}
	entries []json.RawMessage
	err     error

	// late holds the callbacks of callers that stopped waiting. Once there is one, later
	// callers do not wait either. next is the read to make after this one, for callers
	// that came meanwhile: the list may have changed since this one began. Both are
	// guarded by lists.mu.
	late []func()
	next *read
}

// read returns the list of a server: the result of fetch or, if that takes longer than
// listPatience, the last known list. In that case changed is called if fetch returns a
// different one. The error is fetch's or the cause of ctx.
func (l *lists) read(ctx context.Context, key listKey, fetch func(ctx context.Context) ([]json.RawMessage, error), changed func()) ([]json.RawMessage, error) {
	one, known := l.join(key, fetch, changed)
	if one == nil {
		return known, nil
	}
	patience := time.NewTimer(listPatience)
	defer patience.Stop()
	select {
	case <-one.done:
		return one.entries, one.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-patience.C:
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-one.done: // finished at the same time
		return one.entries, one.err
	default:
	}
	one.late = append(one.late, changed)
	return l.known[key], nil
}

// join returns the read to wait for. If the current one is late already, it returns nil
// and the last known list.
func (l *lists) join(key listKey, fetch func(ctx context.Context) ([]json.RawMessage, error), changed func()) (one *read, known []json.RawMessage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.reads[key]
	switch {
	case now == nil:
		one = &read{fetch: fetch, done: make(chan struct{})}
		if l.reads == nil {
			l.reads = map[listKey]*read{}
		}
		l.reads[key] = one
		l.reading.Go(func() { l.run(key, one) })
		return one, nil
	case len(now.late) > 0:
		now.late = append(now.late, changed)
		return nil, l.known[key]
	case now.next == nil:
		now.next = &read{fetch: fetch, done: make(chan struct{})}
	}
	return now.next, nil
}

// last returns the last known list. listed reports whether the server has listed anything
// under a capability.
func (l *lists) last(key listKey) []json.RawMessage {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known[key]
}

func (l *lists) listed(server, capability string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key := range l.known {
		if key.server == server && strings.HasPrefix(key.method, capability+"/") {
			return true
		}
	}
	return false
}

// run makes a read and its successors, and calls back the callers that stopped waiting.
func (l *lists) run(key listKey, one *read) {
	for one != nil {
		one.entries, one.err = one.fetch(l.life)
		waiting, next := l.settle(key, one)
		for _, changed := range waiting {
			changed()
		}
		one = next
	}
}

// settle ends a read and wakes the callers that wait for it. It returns the read to
// make next, if one was asked for meanwhile, and the callbacks of the callers that
// stopped waiting and were given the entries of an earlier read, if these entries
// differ from them. Callers that stopped waiting for the next read are among those:
// its entries may equal these, and it would call nobody then.
func (l *lists) settle(key listKey, one *read) (waiting []func(), next *read) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(one.done)
	if next = one.next; next != nil {
		l.reads[key] = next
	} else {
		delete(l.reads, key)
	}
	if one.err != nil {
		return nil, next
	}
	same := slices.EqualFunc(l.known[key], one.entries, func(x, y json.RawMessage) bool { return bytes.Equal(x, y) })
	if l.known == nil {
		l.known = map[listKey][]json.RawMessage{}
	}
	l.known[key] = one.entries
	if same {
		return nil, next
	}
	waiting = one.late
	if next != nil {
		waiting, next.late = append(waiting, next.late...), nil
	}
	return waiting, next
}
