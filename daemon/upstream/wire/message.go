package wire

import (
	"encoding/json"
	"fmt"

	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// codeNotJSON is the JSON-RPC error code of the replies that stand for an
// answer which is not JSON.
const codeNotJSON = -32051

// isMessage reports whether JSON is a JSON-RPC 2.0 request, notification or
// response.
func isMessage(text []byte) bool {
	versioned, says := false, false
	for name, value := range ijson.Members(text) {
		switch name {
		case "jsonrpc":
			versioned = string(value) == `"2.0"`
		case "method":
			says = says || len(value) > len(`""`) && value[0] == '"'
		case "result", "error":
			says = true
		}
	}
	return versioned && says
}

// misshapen returns an error response in the place of an error whose code is a
// text, which mcp-go would drop, so that the call would wait for its whole
// timeout; nil for any other message.
func misshapen(message []byte) []byte {
	id, code := scalar(ijson.Member(message, "id")), ijson.Member(ijson.Member(message, "error"), "code")
	if id == nil || len(code) == 0 || code[0] != '"' || !isMessage(message) {
		return nil
	}
	return errorReply(id, fmt.Sprintf("its answer is an error whose code is the text %s, and not a number", code))
}

func errorReply(id json.RawMessage, why string) []byte {
	text, err := json.Marshal(why)
	if err != nil {
		return nil
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, codeNotJSON, text)
}

// brokenReply returns an error response in the place of an answer that is not
// JSON, so that the call ends at once; nil when the message is no answer, or it
// cannot be determined what it answers.
func brokenReply(message []byte, cause error) []byte {
	var id json.RawMessage
	answers := false
	for name, value := range ijson.Members(message) {
		switch name {
		case "id":
			id = scalar(value)
		case "method":
			return nil
		case "result", "error":
			answers = true
		}
	}
	if !answers || !json.Valid(id) {
		return nil
	}
	return errorReply(id, "its answer is not JSON: "+cause.Error())
}

// dropped says for a server's log that a message was not taken. It quotes
// nothing of it: half a secret would not be recognised as one.
func dropped(message []byte, cause error) []byte {
	return fmt.Appendf(nil, "dropped a message of %d bytes that is not JSON: %v", len(message), cause)
}
