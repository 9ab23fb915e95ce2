package wire

import (
	"encoding/json"
	"fmt"

	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// codeNotJSON is the JSON-RPC error code for responses that are not JSON.
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

// misshapen returns an error response for an error whose code is a string, or nil for any
// other message. mcp-go drops such an error, and the call would wait for its whole
// timeout.
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

// brokenReply returns an error response for a response that is not JSON, so that the call
// ends at once. It returns nil if the message is not a response or its id cannot be
// determined.
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

// dropped returns the log line for a dropped message. It quotes none of the message: half
// a secret would not be recognized.
func dropped(message []byte, cause error) []byte {
	return fmt.Appendf(nil, "dropped a message of %d bytes that is not JSON: %v", len(message), cause)
}
