package wire

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
)

// TestMendBody: the messages in a body come out as I-JSON, and all else as it
// came.
func TestMendBody(t *testing.T) {
	t.Parallel()
	const events, document = "text/event-stream", "application/json; charset=utf-8"
	refusal := `{"jsonrpc":"2.0","id":1,"error":{"code":-32051,"message":"its answer is not JSON: invalid character 'N' at start of value at byte 33"}}`
	tests := map[string]struct{ kind, in, want string }{
		"document":               {document, ` {"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		"document, repeated key": {document, `{"id":1,"result":{"a":1,"a":2}}`, `{"id":1,"result":{"a":2}}`},
		"document, NaN":          {document, `{"jsonrpc":"2.0","id":1,"result":NaN}`, refusal},
		"document, no message":   {document, "oops", "oops"},
		"document, empty":        {document, "", ""},
		"page":                   {"text/html", "<p>\xff", "<p>\xff"},
		"event":                  {events, "event: message\nid: 1\ndata: {\"id\":1}\n\n", "event: message\nid: 1\ndata: {\"id\":1}\n\n"},
		"event, lone surrogate":  {events, `data:{"a":"\ud83d"}` + "\r\n\r\n", "data: {\"a\":\"\ufffd\"}\n\r\n"},
		"event, NaN":             {events, `data: {"jsonrpc":"2.0","id":1,"result":NaN}` + "\n\n: next\n", "data: " + refusal + "\n\n: next\n"},
		"event, broken notice":   {events, `data: {"jsonrpc":"2.0","method":"m","params":NaN}` + "\nid: 7\n\n", "id: 7\n\n"},
		"event of two lines":     {events, "data: {\"a\":\ndata: 1}\n\n", "data: {\"a\":\ndata: 1}\n\n"},
		"event, no message":      {events, "event: endpoint\ndata: /messages?x=\xff\n\n", "event: endpoint\ndata: /messages?x=\xff\n\n"},
		"event without an end":   {events, `data: {"a":1}`, "data: {\"a\":1}\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, in := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
				response := &http.Response{Header: http.Header{"Content-Type": {tt.kind}}, Body: io.NopCloser(in)}
				mendBody(response, &clean.Ring{})
				got, err := io.ReadAll(iotest.OneByteReader(response.Body))
				if err != nil || string(got) != tt.want {
					t.Errorf("got  %q (%v)\nwant %q", got, err, tt.want)
				}
			}
		})
	}
}

// TestMendBody_brokenOff: a body that breaks off ends with that error.
func TestMendBody_brokenOff(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"text/event-stream", "application/json"} {
		body := io.MultiReader(strings.NewReader(`data: {"a":1}`), iotest.ErrReader(io.ErrUnexpectedEOF))
		response := &http.Response{Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(body)}
		mendBody(response, nil)
		if _, err := io.ReadAll(response.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %v, want %v", kind, err, io.ErrUnexpectedEOF)
		}
	}
}
