package editor_test

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestSession_noFrames: a host that sends no frames is told why the daemon ends.
func TestSession_noFrames(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n": "read from the host: frame header: no Content-Length",
		"Content-Length: x\r\n\r\n":         `Content-Length "x" is no length`,
		"Content-Length: 5\r\n\r\n{":        "", // it died in the middle of a frame
		"":                                  "",
	} {
		err := newFake().session(slog.New(slog.DiscardHandler), nil).Run(t.Context(), strings.NewReader(in), io.Discard)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", in, err, want)
		}
	}
}

// TestSession_malformedFrames: what is no message is answered or passed over,
// and the next message is answered. A header without a length ends the
// session: there is no telling where the next frame begins.
func TestSession_malformedFrames(t *testing.T) {
	t.Parallel()
	h, f := overFake(t)
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,`, `[]`, `"text"`, `{}`, "\xff\xfe", `{"jsonrpc":"1.0","id":1,"method":"catalog/list"}`,
		`{"jsonrpc":"2.0","id":{},"method":"catalog/list"}`, `{"jsonrpc":"2.0","id":77,"result":{}}`,
		`{"jsonrpc":"2.0","method":"no/such"}`, `{"jsonrpc":"2.0","method":"$/cancelRequest","params":[1]}`,
		`{"jsonrpc":"2.0","method":"settings/didChange","params":"text"}`, strings.Repeat("[", 100_000),
	} {
		h.Raw(fmt.Sprintf("content-length: %d\r\nContent-Type: x\r\n\r\n%s", len(body), body))
		f.expect(nil)
		daemontest.Call[protocol.CatalogListResult](h, protocol.MethodCatalogList, none)
		if want := []ask{{of: "Catalog.List", args: args(&protocol.CatalogListParams{})}}; !same(f.took(), want) {
			t.Errorf("after %.40q the engine was asked\n%s, want\n%s", body, words(f.took()), words(want))
		}
	}
	h.Raw("no header at all\r\n\r\n")
	if err := h.Wait(); err == nil {
		t.Error("got no error, want that the header has no length")
	}
}
