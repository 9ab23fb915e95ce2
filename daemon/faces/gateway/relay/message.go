package relay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Methods of MCP's that the relay knows.
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

// message is what the relay has to know of one.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
}

// kind is what a message is.
type kind int

const (
	other kind = iota // passed on as it is: the receiver says what is wrong
	request
	notification
	answer
)

// parse reads a line. What is no message is other.
func parse(line []byte) (message, kind) {
	var m message
	if json.Unmarshal(line, &m) != nil {
		// Params of another form are no reason not to know the rest.
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

// own reports whether an id is that of a request of the relay's own.
func own(id json.RawMessage) bool { return strings.HasPrefix(string(id), `"`+ownPrefix) }

// sameID reports whether two ids are one: a gateway may write it otherwise than
// its client did.
func sameID(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && x != nil && reflect.DeepEqual(x, y)
}

// withID returns a message with another id; one that is no object as it is.
func withID(line []byte, id json.RawMessage) []byte {
	return edited(line, func(members map[string]json.RawMessage) { members["id"] = id })
}

// withRequestID returns a cancellation of another request.
func withRequestID(line []byte, id json.RawMessage) []byte {
	return edited(line, func(members map[string]json.RawMessage) {
		members["params"] = edited(members["params"], func(params map[string]json.RawMessage) { params["requestId"] = id })
	})
}

// edited returns an object with other members. The values of the others keep
// their bytes.
func edited(object []byte, change func(members map[string]json.RawMessage)) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil || members == nil {
		return object
	}
	change(members)
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // only names of members are written anew
	if err := encoder.Encode(members); err != nil {
		return object
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// notice is a notification.
func notice(method string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q}`, method)
}

// cancellation tells the client that a question is over.
func cancellation(id json.RawMessage) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q,"params":{"requestId":%s,"reason":"the daemon that asked is gone"}}`,
		methodCancelled, id)
}

// mayHaveRun answers a call whose gateway is gone.
func mayHaveRun(id json.RawMessage) []byte {
	const text = "The daemon that ran this call is gone, and did not answer it. The call may have run, and it was not repeated: " +
		"look whether it took effect before you make it again."
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%q}],"isError":true}}`, id, text)
}
