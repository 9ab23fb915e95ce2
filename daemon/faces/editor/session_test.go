package editor_test

import (
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
