package wire

import (
	"cmp"
	"encoding/json"
)

// Failure returns the error, within a streamed response, for a refusal of the provider
// with its status and body. If isEvent is false, its data is written as it is: Gemini's
// clients expect an error in a chunk that is not an event.
func Failure(status int, body []byte, format Format, f Filter) (e Event, isEvent bool) {
	said := readFailure(body)
	switch format {
	case Messages:
		kind := cmp.Or(said.kind, "api_error")
		return Event{"error", object(map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": said.message}})}, true
	case Responses:
		response := map[string]any{
			"id": "resp_failed", "object": "response", "status": "failed", "output": []any{},
			"error": map[string]any{"code": cmp.Or(said.code, said.kind, "server_error"), "message": said.message},
		}
		sequence := 0
		if r, ok := f.(*responsesFilter); ok {
			sequence = r.sequence
			if r.id != "" {
				response["id"] = r.id
			}
		}
		return Event{"response.failed", object(map[string]any{"type": "response.failed", "sequence_number": sequence, "response": response})}, true
	case Gemini:
		return Event{"", object(map[string]any{"error": map[string]any{"code": status, "message": said.message, "status": cmp.Or(said.status, "UNKNOWN")}})}, false
	}
	if said.raw != nil {
		return Event{"", object(map[string]any{"error": said.raw})}, true
	}
	return Event{"", object(map[string]any{"error": map[string]any{"message": said.message, "type": "api_error", "code": status}})}, true
}

// failure is a provider's error.
type failure struct {
	// raw is the error as in the body; nil if there is none.
	raw                         json.RawMessage
	message, kind, code, status string
}

// readFailure decodes the body of an error. A body that is not JSON is the message.
func readFailure(body []byte) failure {
	var in struct{ Error json.RawMessage }
	if json.Unmarshal(body, &in) != nil || len(in.Error) == 0 {
		var list []struct{ Error json.RawMessage } // Gemini's, of a stream
		if json.Unmarshal(body, &list) != nil || len(list) == 0 {
			return failure{message: cmp.Or(string(body), "the provider answered with an error")}
		}
		in.Error = list[0].Error
	}
	f := failure{raw: in.Error}
	var members struct {
		Message, Type, Status string
		Code                  any
	}
	if json.Unmarshal(in.Error, &members) != nil {
		f.message = string(in.Error)
		return f
	}
	f.message, f.kind, f.status = members.Message, members.Type, members.Status
	f.code, _ = members.Code.(string)
	return f
}

// object encodes an object of plain values, which cannot fail.
func object(members map[string]any) []byte {
	text, _ := json.Marshal(members) //nolint:errchkjson // plain values
	return text
}
