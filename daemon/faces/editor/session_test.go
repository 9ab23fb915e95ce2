package editor_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon"
	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/protocol"
)

func TestSession_lifecycle(t *testing.T) {
	t.Parallel()
	h := daemontest.Run(t, daemontest.Options{})
	if e := h.Refused(protocol.MethodCatalogList, protocol.Empty{}); e.Code != protocol.CodeServerNotInitialized {
		t.Errorf("a call before initialize: %v", e)
	}
	h.Notify(protocol.MethodDidGrantTrust, protocol.Empty{}) // dropped, and nothing breaks
	wrong := h.InitializeParams(nil)
	wrong.ProtocolVersion = 99
	if e := h.Refused(protocol.MethodInitialize, wrong); e.Data.Kind != protocol.KindVersion || e.Data.Next == "" {
		t.Errorf("another protocol version: %v", e)
	}
	r := h.Initialize(nil)
	if r.Server.Name != "winnowd" || r.Server.Version != "test" || r.ProtocolVersion != 1 {
		t.Errorf("initialize answered %+v", r)
	}
	if e := h.Refused(protocol.MethodInitialize, h.InitializeParams(nil)); e.Data.Kind != protocol.KindLifecycle {
		t.Errorf("initialize twice: %v", e)
	}
	if e := h.Refused("no/such", nil); e.Code != protocol.CodeMethodNotFound {
		t.Errorf("an unknown method: %v", e)
	}
	if e := h.Refused(protocol.MethodTaskOpen, map[string]any{"message": 7}); e.Code != protocol.CodeInvalidParams {
		t.Errorf("wrong params: %v", e)
	}
	h.Notify("$/unknown", nil)
	daemontest.Call[protocol.Empty](h, protocol.MethodShutdown, protocol.Empty{})
	if e := h.Refused(protocol.MethodCatalogList, protocol.Empty{}); e.Data.Kind != protocol.KindLifecycle {
		t.Errorf("a call after shutdown: %v", e)
	}
	h.Notify(protocol.MethodExit, protocol.Empty{})
	if err := h.Wait(); err != nil {
		t.Errorf("exit after shutdown: %v", err)
	}
}

// TestSession_noFrames: a host that sends no frames is told why the daemon ends.
func TestSession_noFrames(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n": "read from the host: frame header: no Content-Length",
		"Content-Length: x\r\n\r\n":         `Content-Length "x" is no length`,
		"Content-Length: 5\r\n\r\n{":        "", // it died in the middle of a frame
		"":                                  "",
	} {
		err := daemon.New(daemon.Options{}).Run(t.Context(), strings.NewReader(in), io.Discard)
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
	h := daemontest.Run(t, daemontest.Options{})
	h.Initialize(nil)
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,`, `[]`, `"text"`, `{}`, "\xff\xfe", `{"jsonrpc":"1.0","id":1,"method":"catalog/list"}`,
		`{"jsonrpc":"2.0","id":{},"method":"catalog/list"}`, `{"jsonrpc":"2.0","id":77,"result":{}}`,
		`{"jsonrpc":"2.0","method":"no/such"}`, `{"jsonrpc":"2.0","method":"$/cancelRequest","params":[1]}`,
		`{"jsonrpc":"2.0","method":"settings/didChange","params":"text"}`, strings.Repeat("[", 100_000),
	} {
		h.Raw(fmt.Sprintf("content-length: %d\r\nContent-Type: x\r\n\r\n%s", len(body), body))
		if list := h.Catalog(); list.Version == 0 {
			t.Errorf("after %.40q the catalogue has no version", body)
		}
	}
	h.Raw("no header at all\r\n\r\n")
	if err := h.Wait(); err == nil {
		t.Error("got no error, want that the header has no length")
	}
}
