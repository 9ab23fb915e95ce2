package wire

import "testing"

// Each format's clients are told of an error in the middle of an answer as they
// expect it.
func TestFailure(t *testing.T) {
	responses := NewFilter(&Request{Format: Responses}, func(string) bool { return false })
	if _, err := responses.Pass(Event{Data: []byte(`{"type":"response.created","sequence_number":0,"response":{"id":"r1"}}`)}); err != nil {
		t.Fatal(err)
	}
	const body = `{"error":{"message":"slow down","type":"rate_limit_error","code":"rate_limit","status":"RESOURCE_EXHAUSTED"}}`
	for name, tt := range map[string]struct {
		format  Format
		body    string
		kind    string
		data    string
		isEvent bool
	}{
		"chat":          {Chat, body, "", body, true},
		"chat, no JSON": {Chat, "busy", "", `{"error":{"code":429,"message":"busy","type":"api_error"}}`, true},
		"messages":      {Messages, body, "error", `{"error":{"message":"slow down","type":"rate_limit_error"},"type":"error"}`, true},
		"responses": {Responses, body, "response.failed",
			`{"response":{"error":{"code":"rate_limit","message":"slow down"},"id":"r1","object":"response","output":[],"status":"failed"},"sequence_number":1,"type":"response.failed"}`, true},
		"gemini":         {Gemini, body, "", `{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED"}}`, false},
		"gemini, a list": {Gemini, "[" + body + "]", "", `{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED"}}`, false},
	} {
		e, isEvent := Failure(429, []byte(tt.body), tt.format, responses)
		if e.Type != tt.kind || string(e.Data) != tt.data || isEvent != tt.isEvent {
			t.Errorf("%s: got %q %s, an event: %t; want %q %s, %t", name, e.Type, e.Data, isEvent, tt.kind, tt.data, tt.isEvent)
		}
	}
}
