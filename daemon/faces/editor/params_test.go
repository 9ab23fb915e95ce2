package editor

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

func TestUnknownMembers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		method, params string
		want           []string
	}{
		{protocol.MethodTaskOpen, `{"message":"hello","model":{"maxTools":3}}`, nil},
		{protocol.MethodTaskOpen, `{"message":"hello","modle":{},"choice":1}`, []string{"choice", "modle"}},
		{protocol.MethodShutdown, `{}`, nil},
		{protocol.MethodShutdown, ``, nil},
		{"no/such", `{"x":1}`, nil},
	} {
		if got := unknownMembers(tt.method, json.RawMessage(tt.params)); !slices.Equal(got, tt.want) {
			t.Errorf("%s %s: %q, want %q", tt.method, tt.params, got, tt.want)
		}
	}
}
