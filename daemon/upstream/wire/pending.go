package wire

import (
	"encoding/json"
	"sync"

	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// pending are the ids of the requests that a stdio server has not answered. They
// tell a malformed answer, which fails its call at once, from a log record.
type pending struct {
	// mu guards ids.
	mu  sync.Mutex
	ids map[string]bool
}

// sent notes a message to the server: a request waits, a cancelled one no longer.
func (p *pending) sent(message []byte) {
	id := ijson.Member(message, "id")
	switch method := string(ijson.Member(message, "method")); {
	case method == `"notifications/cancelled"`:
		p.ended(ijson.Member(ijson.Member(message, "params"), "requestId"))
	case len(id) > 0 && method != "":
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.ids == nil {
			p.ids = map[string]bool{}
		}
		p.ids[string(id)] = true
	}
}

// ended forgets a request.
func (p *pending) ended(id []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.ids, string(id))
}

// has reports whether a request waits.
func (p *pending) has(id []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ids[string(id)]
}

// only returns the id of the request that waits where there is just one, else nil.
func (p *pending) only() json.RawMessage {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.ids) == 1 {
		for id := range p.ids {
			return json.RawMessage(id)
		}
	}
	return nil
}

// unversioned returns an error response in the place of an answer that lacks
// `"jsonrpc"`; nil for any other message. An answer has an id that is waited for,
// a result or an error that is an object, and no other member.
func (p *pending) unversioned(message []byte) []byte {
	var id json.RawMessage
	answers := 0
	for name, value := range ijson.Members(message) {
		switch name {
		case "id":
			id = scalar(value)
		case "result", "error":
			if !ijson.IsObject(value) {
				return nil
			}
			answers++
		default:
			return nil
		}
	}
	if id == nil || answers != 1 || !p.has(id) {
		return nil
	}
	return errorReply(id, `its answer has no "jsonrpc":"2.0"`)
}

// cutShort returns an error response in the place of an answer that ends within
// its result, where the id would follow; nil when it cannot be determined that it is one.
func (p *pending) cutShort(message []byte, cause error) []byte {
	n := 0
	for name := range ijson.Members(message) {
		if n++; n > 1 || name != "result" {
			return nil
		}
	}
	id := p.only()
	if n == 0 || id == nil {
		return nil
	}
	return errorReply(id, "its answer is not JSON: "+cause.Error())
}
