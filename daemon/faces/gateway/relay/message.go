package relay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// Methods that the relay handles.
const (
	methodInitialize  = "initialize"
	methodInitialized = "notifications/initialized"
	methodCancelled   = "notifications/cancelled"
	methodCall        = "tools/call"
	methodPing        = "ping"
	methodSetLevel    = "logging/setLevel"
	methodListen      = "subscriptions/listen"
)

// ownPrefix begins the ids of the relay's own requests.
const ownPrefix = "winnow-relay-"

// message holds the members that the relay reads.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
}

// kind is the kind of a message.
type kind int

const (
	other kind = iota // passed on unchanged; the receiver reports the error
	request
	notification
	answer
)

// parse decodes a line. A line that is not a message has the kind other.
func parse(line []byte) (message, kind) {
	var m message
	if json.Unmarshal(line, &m) != nil {
		// Params of another shape must not hide the other members.
		var bare struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal(line, &bare) != nil {
			return message{}, other
		}
		m = message{ID: bare.ID, Method: bare.Method}
	}
	hasID := len(m.ID) > 0 && string(m.ID) != "null"
	switch {
	case m.Method != "" && hasID:
		return m, request
	case m.Method != "":
		return m, notification
	case hasID:
		return m, answer
	}
	return m, other
}

// own reports whether an id is that of one of the relay's own requests.
func own(id json.RawMessage) bool { return strings.HasPrefix(string(id), `"`+ownPrefix) }

// sameID reports whether two ids are equal as JSON values: a gateway may format an id
// differently.
func sameID(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && x != nil && reflect.DeepEqual(x, y)
}

// withID returns a message with another id. Anything that is not an object is unchanged.
func withID(line []byte, id json.RawMessage) []byte {
	return ijson.Edit(line, func(members map[string]json.RawMessage) { members["id"] = id })
}

// withRequestID returns a cancellation with another request id.
func withRequestID(line []byte, id json.RawMessage) []byte {
	return ijson.Edit(line, func(members map[string]json.RawMessage) {
		members["params"] = ijson.Edit(members["params"], func(params map[string]json.RawMessage) { params["requestId"] = id })
	})
}

// notice returns a notification.
func notice(method string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q}`, method)
}

// cancellation returns the notification that a request to the client is cancelled.
func cancellation(id json.RawMessage) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q,"params":{"requestId":%s,"reason":"the daemon that asked is gone"}}`,
		methodCancelled, id)
}

// mayHaveRun returns the response to a call whose gateway is gone.
func mayHaveRun(id json.RawMessage) []byte {
	const text = "The daemon that ran this call is gone, and did not answer it. The call may have run, and it was not repeated: " +
		"look whether it took effect before you make it again."
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%q}],"isError":true}}`, id, text)
}
