package wire

import (
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
)

// TestMisshapen: an error whose code is a text ends its call at once, over stdio
// as over HTTP; what is no answer is left as it is.
func TestMisshapen(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]bool{
		`{"jsonrpc":"2.0","id":7,"error":{"code":"E_NO","message":"no"}}`: true,
		`{"jsonrpc":"2.0","id":7,"error":{"code":1}}`:                     false,
		`{"jsonrpc":"2.0","id":7,"result":{"code":"x"}}`:                  false,
		`{"id":7,"error":{"code":"a record of a log"}}`:                   false,
		`{"jsonrpc":"2.0","id":{"a":1},"error":{"code":"E"}}`:             false,
	} {
		log := &clean.Ring{}
		for over, got := range map[string]string{
			"http":  string(mend([]byte(message), log)),
			"stdio": string(newFrames(nil, 1000, log).accept([]byte(message))),
		} {
			if replaced := strings.Contains(got, `-32051,"message":"its answer is an error whose code is the text \"E_NO\"`); replaced != want {
				t.Errorf("%s over %s became %s", message, over, got)
			}
		}
	}
}

// TestFrames_MalformedAnswers: an answer over stdio without "jsonrpc", or cut short
// before its id, ends the call that waits for it; log records that look like one,
// and answers that nobody waits for, end none.
func TestFrames_MalformedAnswers(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		`{"id":7,"result":{"content":[]}}`:              `has no \"jsonrpc\"`,
		`{"result":{"content":[]},"id":7}`:              `has no \"jsonrpc\"`,
		`{"id":7,"error":{"code":-1,"message":"no"}}`:   `has no \"jsonrpc\"`,
		`{"jsonrpc":"2.0","id":7,"result":{"content":[`: "is not JSON",
		`{"result":{"content":[{"type":"te`:             "is not JSON",
		`{"id":8,"result":{}}`:                          "",
		`{"id":7,"result":"done"}`:                      "",
		`{"level":"info","id":7,"result":{}}`:           "",
		`{"jsonrpc":"1.0","id":7,"result":{}}`:          "",
		`{"level":30,"result":{"content":[`:             "",
	} {
		in := newFrames(nil, 1000, &clean.Ring{})
		in.pending.sent([]byte(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}` + "\n"))
		got := string(in.accept([]byte(message)))
		if want == "" && got != "" || !strings.Contains(got, want) || want != "" && !strings.Contains(got, `"id":7`) {
			t.Errorf("%s became %q, want %q", message, got, want)
		}
		in.pending.sent([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`))
		if got := in.accept([]byte(`{"id":7,"result":{}}`)); got != nil {
			t.Errorf("the answer to a cancelled call became %s", got)
		}
	}
}
