package wire

import (
	"bytes"
	"slices"
	"sync"
)

const (
	// maxKnownLists bounds the lists of tools in [Lists].
	maxKnownLists = 8
	// minKnownList is the smallest size in bytes of a cached list.
	minKnownList = 16 << 10
)

// Lists caches decoded lists of tools. A client sends the same list, which is most of its
// request, each time. Safe for concurrent use. The zero value is empty.
type Lists struct {
	// mu guards known.
	mu    sync.Mutex
	known []*knownList // least recently used first
}

// knownList is a decoded list. It is immutable.
type knownList struct {
	format Format
	// text is the array. request is a request with this array only, which begins at
	// start.
	text    []byte
	request *Request
	start   int
}

// Read is [Read], except that it does not decode a cached list of tools again.
func (l *Lists) Read(format Format, body []byte) (*Request, error) {
	if known, at := l.find(format, body); known != nil {
		if q := known.read(body, at); q != nil {
			return q, nil
		}
	}
	q, err := Read(format, body)
	if err == nil {
		l.remember(q)
	}
	return q, err
}

// find returns a cached list that occurs in a body, and its position.
func (l *Lists) find(format Format, body []byte) (known *knownList, at int) {
	l.mu.Lock()
	all := slices.Clone(l.known)
	l.mu.Unlock()
	for _, k := range slices.Backward(all) {
		if k.format != format {
			continue
		}
		if at := bytes.Index(body, k.text); at >= 0 {
			l.use(k)
			return k, at
		}
	}
	return nil, 0
}

// use marks a list as used. Concurrent requests may have read the same list; one is kept.
func (l *Lists) use(k *knownList) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known = append(slices.DeleteFunc(l.known, func(other *knownList) bool {
		return other == k || other.format == k.format && bytes.Equal(other.text, k.text)
	}), k)
	if len(l.known) > maxKnownLists {
		l.known = slices.Delete(l.known, 0, 1)
	}
}

// remember caches the list of a request.
func (l *Lists) remember(q *Request) {
	text := q.ToolsText()
	if len(text) < minKnownList {
		return
	}
	const head = `{"tools":`
	request, err := Read(q.Format, slices.Concat([]byte(head), text, []byte("}")))
	if err != nil {
		return // cannot happen: the list was read before
	}
	l.use(&knownList{q.Format, request.ToolsText(), request, len(head)})
}

// read reads a body that contains the list at a position, or returns nil if that is not
// the list of tools. It reads the body with an empty array in its place, which does not
// change the rest, and then adjusts the positions.
func (k *knownList) read(body []byte, at int) *Request {
	const none = "[]"
	end := at + len(k.text)
	q, err := Read(k.format, slices.Concat(body[:at], []byte(none), body[end:]))
	if err != nil || q.tools != (span{at, at + len(none)}) {
		return nil
	}
	q.Body, q.tools, q.searches = body, span{at, end}, k.request.searches
	behind := func(s *span) {
		if s.start > at {
			s.start, s.end = s.start+len(k.text)-len(none), s.end+len(k.text)-len(none)
		}
	}
	behind(&q.messages)
	for i := range q.Messages {
		m := &q.Messages[i]
		behind(&m.at)
		behind(&m.partsArray)
		for j := range m.parts {
			behind(&m.parts[j])
		}
	}
	q.Tools, q.elements = slices.Clone(k.request.Tools), slices.Clone(k.request.elements)
	for i := range q.Tools {
		t := &q.Tools[i]
		t.at, t.mark = t.at.from(k.start-at), t.mark.from(k.start-at)
	}
	for i := range q.elements {
		e := &q.elements[i]
		e.at, e.inner = e.at.from(k.start-at), e.inner.from(k.start-at)
	}
	return q
}
