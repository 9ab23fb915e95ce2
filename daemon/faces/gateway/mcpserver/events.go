package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/server"
)

// maxEventBytes bounds the bytes kept for one session to resume a broken stream. The
// oldest are evicted first.
const maxEventBytes = 1 << 20

// events keeps the latest messages of each session's streams. mcp-go's store keeps all of
// them until the session ends. It implements server.EventStore.
type events struct {
	// mu guards what follows.
	mu       sync.Mutex
	last     int64
	sessions map[string]*eventLog
}

// eventLog holds one session's events, oldest first.
type eventLog struct {
	kept  []event
	bytes int
}

type event struct {
	id      string
	stream  string
	message json.RawMessage
}

func newEvents() *events { return &events{sessions: map[string]*eventLog{}} }

// StoreEvent implements server.EventStore.
func (e *events) StoreEvent(_ context.Context, session, stream string, message json.RawMessage) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	log := e.sessions[session]
	if log == nil {
		log = &eventLog{}
		e.sessions[session] = log
	}
	id := strconv.FormatInt(e.last, 10)
	log.kept = append(log.kept, event{id, stream, slices.Clone(message)})
	log.bytes += len(message)
	drop := 0
	for log.bytes > maxEventBytes {
		log.bytes -= len(log.kept[drop].message)
		drop++
	}
	log.kept = slices.Delete(log.kept, 0, drop)
	return id, nil
}

// ReplayEventsAfter implements server.EventStore.
func (e *events) ReplayEventsAfter(_ context.Context, session, last string, send func(id string, message json.RawMessage) error) (string, error) {
	stream, missed, ok := e.after(session, last)
	if !ok {
		return "", fmt.Errorf("%w: %s", server.ErrUnknownEventID, last)
	}
	for _, m := range missed {
		if err := send(m.id, m.message); err != nil {
			return "", err
		}
	}
	return stream, nil
}

// after returns the stream of the event last and the later events of that stream.
func (e *events) after(session, last string) (stream string, missed []event, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	log := e.sessions[session]
	if log == nil {
		return "", nil, false
	}
	at := slices.IndexFunc(log.kept, func(k event) bool { return k.id == last })
	if at < 0 {
		return "", nil, false
	}
	stream = log.kept[at].stream
	for _, k := range log.kept[at+1:] {
		if k.stream == stream {
			missed = append(missed, k)
		}
	}
	return stream, missed, true
}

// PurgeSession implements server.EventStore.
func (e *events) PurgeSession(_ context.Context, session string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.sessions, session)
	return nil
}
