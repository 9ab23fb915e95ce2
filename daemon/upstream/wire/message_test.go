package wire

import (
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
)

// TestMisshapen: an answer that is no JSON-RPC 2.0 ends its call at once, over
// stdio as over HTTP; what is no answer is left as it is, and over HTTP one without a version.
func TestMisshapen(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"error":{"code":"E_NO","message":"no"}}`: `the text \"E_NO\"`,
		`{"id":7,"result":{}}`:                                `does not say \"jsonrpc\"`,
		`{"jsonrpc":"1.0","id":7,"error":{"code":1}}`:         `does not say \"jsonrpc\"`,
		`{"jsonrpc":"2.0","id":7,"error":{"code":1}}`:         "",
		`{"jsonrpc":"2.0","id":7,"result":{"code":"x"}}`:      "",
		`{"id":7,"level":"info","error":"a record of a log"}`: "",
		`{"jsonrpc":"2.0","method":"notifications/message"}`:  "",
		`{"id":{"a":1},"result":{}}`:                          "",
	} {
		log := &clean.Ring{}
		for over, got := range map[string]string{
			"http":  string(mend([]byte(message), log)),
			"stdio": string(newFrames(nil, 1000, log).accept([]byte(message))),
		} {
			want := want
			replaced := strings.HasPrefix(got, `{"jsonrpc":"2.0","id":7,"error":{"code":-32051,`)
			if over == "http" && strings.Contains(want, "jsonrpc") {
				want = "" // mcp-go takes it there
			}
			if replaced != (want != "") || !strings.Contains(got, want) {
				t.Errorf("%s over %s became %s, want %q", message, over, got, want)
			}
		}
	}
}
