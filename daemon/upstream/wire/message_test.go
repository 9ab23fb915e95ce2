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
