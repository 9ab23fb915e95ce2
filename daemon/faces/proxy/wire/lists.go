package wire

import (
	"bytes"
	"slices"
	"sync"
)

const (
	// maxKnownLists is how many lists of tools [Lists] remember.
	maxKnownLists = 8
	// minKnownList is from how many bytes on a list is worth it.
	minKnownList = 16 << 10
)

// Lists remember lists of tools that were read. A client sends the same list,
// which is most of its request, with each of them. They are safe for concurrent
// use; the zero value remembers none yet.
type Lists struct {
	// mu guards known.
	mu    sync.Mutex
	known []*knownList // the one used last at the end
}

// knownList is a list that was read. Nothing in it changes.
type knownList struct {
	format Format
	// text is the array, request one that has nothing else; the array begins
	// there at start.
	text    []byte
	request *Request
	start   int
}

// Read returns what [Read] returns.
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

// find returns a known list that stands in a body, and where.
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

// use notes that a list was used. Requests at a time may have read the same one
// each: it is remembered once.
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

// remember remembers the list of a request.
func (l *Lists) remember(q *Request) {
	text := q.ToolsText()
	if len(text) < minKnownList {
		return
	}
	const head = `{"tools":`
	request, err := Read(q.Format, slices.Concat([]byte(head), text, []byte("}")))
	if err != nil {
		return // what stands in a body can be read: this does not happen
	}
	l.use(&knownList{q.Format, request.ToolsText(), request, len(head)})
}

// read reads a body in which the list stands at a place; nil where that is not
// the place of the list of tools. Without it the body is read as usual, with an
// empty one in its stead: whatever stands there, JSON goes on the same behind it.
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
