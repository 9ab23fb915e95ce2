package wire

import (
	"encoding/json"
	"sync"

	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// pending holds the ids of the requests that a stdio server has not answered. They
// distinguish a malformed response, which fails its call at once, from a log record.
type pending struct {
	// mu guards ids.
	mu  sync.Mutex
	ids map[string]bool
}

// sent records a message to the server: it adds a request and removes a cancelled one.
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

// ended removes a request.
func (p *pending) ended(id []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.ids, string(id))
}

// has reports whether a request is pending.
func (p *pending) has(id []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ids[string(id)]
}

// only returns the id of the pending request if there is exactly one, else nil.
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

// unversioned returns an error response for a response that lacks `"jsonrpc"`, or nil for
// any other message. Such a response has a pending id, one result or error that is an
// object, and no other member.
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

// cutShort returns an error response for a response that is truncated within its result,
// before the id, or nil if the message may be something else.
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
