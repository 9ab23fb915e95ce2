package editor_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/faces/editor"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestLifecycle: a session from before its first request to its end.
func TestLifecycle(t *testing.T) {
	t.Parallel()
	f, h := startFake(t, daemontest.Options{Capabilities: protocol.ClientCapabilities{Prompt: true, OpenExternal: true}})
	for _, m := range protocol.Methods() {
		switch {
		case m.Direction != protocol.ToServer, m.Name == protocol.MethodInitialize, m.Name == protocol.MethodExit:
		case m.Result == nil:
			h.Notify(m.Name, none) // dropped, and nothing breaks
		default:
			if e := h.Refused(m.Name, none); e.Code != protocol.CodeServerNotInitialized || e.Data.Kind != protocol.KindNotInitialized || !strings.Contains(e.Message, m.Name) {
				t.Errorf("%s before initialize: got %v, want %s", m.Name, e, protocol.KindNotInitialized)
			}
		}
	}
	wrong := h.InitializeParams(nil)
	wrong.ProtocolVersion = 99
	if e := h.Refused(protocol.MethodInitialize, wrong); e.Code != protocol.CodeInvalidRequest || e.Data.Kind != protocol.KindVersion || e.Data.Next == "" {
		t.Errorf("another protocol version: got %v, want %s", e, protocol.KindVersion)
	}
	if f.opened != nil || len(f.took()) > 0 {
		t.Errorf("before initialize an engine was opened by %+v, and asked\n%s", f.opened, words(f.took()))
	}
	initializes(t, h, f)
	if e := h.Refused(protocol.MethodInitialize, h.InitializeParams(nil)); e.Code != protocol.CodeInvalidRequest || e.Data.Kind != protocol.KindLifecycle {
		t.Errorf("initialize twice: got %v, want %s", e, protocol.KindLifecycle)
	}
	if e := h.Refused("no/such", nil); e.Code != protocol.CodeMethodNotFound || e.Data.Kind != protocol.KindMethodNotFound || !strings.Contains(e.Message, "no/such") {
		t.Errorf("an unknown method: got %v, want %s", e, protocol.KindMethodNotFound)
	}
	h.Notify("$/unknown", nil)
	daemontest.Call[protocol.Empty](h, protocol.MethodShutdown, none)
	f.expect(nil)
	for _, m := range protocol.Methods() {
		switch {
		case m.Direction != protocol.ToServer, m.Name == protocol.MethodExit:
		case m.Result == nil:
			h.Notify(m.Name, none)
		default:
			if e := h.Refused(m.Name, none); e.Code != protocol.CodeInvalidRequest || e.Data.Kind != protocol.KindLifecycle || !strings.Contains(e.Message, m.Name) {
				t.Errorf("%s after shutdown: got %v, want %s", m.Name, e, protocol.KindLifecycle)
			}
		}
	}
	if got := f.took(); len(got) > 0 {
		t.Errorf("after shutdown the engine was asked\n%s", words(got))
	}
	h.Notify(protocol.MethodExit, none)
	if err := h.Wait(); err != nil {
		t.Errorf("exit after shutdown: %v", err)
	}
	if !f.isClosed() {
		t.Error("the engine is open after the session")
	}
}

// initializes opens the session: the engine is given what the host says, and
// starts nothing before the host takes requests.
func initializes(t *testing.T, h *daemontest.Host, f *fake) {
	t.Helper()
	p := h.InitializeParams(map[string]any{"maxTools": 7})
	p.HTTP = protocol.HTTPSettings{Proxy: "http://proxy:3128", NoProxy: []string{"a.example"}}
	want := p
	want.Network = protocol.Network{Proxy: "http://proxy:3128", NoProxy: "a.example"} // TestNetworkOf
	r := daemontest.Call[protocol.InitializeResult](h, protocol.MethodInitialize, p)
	if want := (protocol.InitializeResult{
		Server: protocol.ServerIdentity{Name: "winnowd", Version: "test"}, ProtocolVersion: protocol.Version,
		Capabilities: protocol.ServerCapabilities{Strategies: protocol.Strategies(), Rankers: protocol.Rankers()},
	}); !reflect.DeepEqual(r, want) {
		t.Errorf("initialize: answered %+v, want %+v", r, want)
	}
	if !reflect.DeepEqual(f.opened, &want) {
		t.Errorf("the engine was opened by\n%+v, want\n%+v", f.opened, &want)
	}
	if got := f.user.Capabilities(); got != p.Capabilities {
		t.Errorf("the engine's user can %+v, want %+v", got, p.Capabilities)
	}
	if n := f.starts(); n != 0 {
		t.Errorf("the engine has started before initialized, %d times", n)
	}
	h.Notify(protocol.MethodInitialized, none)
	daemontest.Call[protocol.ModeListResult](h, protocol.MethodModeList, none)
	if n := f.starts(); n == 0 {
		t.Error("the engine has not started after initialized")
	}
	if got, want := f.took(), []ask{{of: "Gateway.FollowFolders"}, {of: "Modes.List"}}; !same(got, want) {
		t.Errorf("initialized: the engine was asked\n%s, want\n%s", words(got), words(want))
	}
}

// TestExit_early: an exit without shutdown ends the session, and is an error of
// it.
func TestExit_early(t *testing.T) {
	t.Parallel()
	h, f := overFake(t)
	h.Notify(protocol.MethodExit, none)
	if err := h.Wait(); !errors.Is(err, editor.ErrNoShutdown) {
		t.Errorf("got %v, want %v", err, editor.ErrNoShutdown)
	}
	if !f.isClosed() {
		t.Error("the engine is open after the session")
	}
}
