package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/daemon/upstream/wire"
)

// readyServer starts one scripted server and waits until it is ready.
func readyServer(t *testing.T, s upstreamtest.Script, tune func(*Config)) (*Manager, ServerSnapshot) {
	t.Helper()
	m := newTestManager(t, Options{})
	cfg := scriptedConfig(t, "s", s)
	if tune != nil {
		tune(&cfg)
	}
	apply(t, m, cfg)
	return m, waitState(t, m, "s", Ready)
}

// TestStdio_Ready: what a ready server says of itself, byte for byte.
func TestStdio_Ready(t *testing.T) {
	t.Parallel()
	_, s := readyServer(t, upstreamtest.Script{PageSize: 2}, nil)
	for i, want := range upstreamtest.StandardTools() {
		if string(s.Tools[i].Raw) != want {
			t.Errorf("tool %d is %s, want %s", i, s.Tools[i].Raw, want)
		}
	}
	if string(s.Capabilities) != `{"tools":{"listChanged":true}}` || s.Instructions != "Follow the script." || s.Info.Name != "scripted" {
		t.Errorf("capabilities %s, instructions %q, info %+v", s.Capabilities, s.Instructions, s.Info)
	}
	if s.Status.PID == 0 || s.Status.StartedAt.IsZero() || s.Status.StartTook <= 0 || s.Status.ProtocolVersion != "2025-11-25" {
		t.Errorf("status %+v", s.Status)
	}
}

// TestStdio_Call: results of every kind come back as they were sent.
func TestStdio_Call(t *testing.T) {
	t.Parallel()
	m, _ := readyServer(t, upstreamtest.Script{}, nil)
	tests := []struct {
		tool, args string
		want       string
		isError    bool
	}{
		{"echo", ``, `{"content":[{"type":"text","text":"{}"}]}`, false},
		{"echo", `{"n":12345678901234567890.0}`, `{"content":[{"type":"text","text":"{\"n\":12345678901234567890.0}"}]}`, false},
		{"fail", `{}`, `{"content":[{"type":"text","text":"it went wrong"}],"isError":true}`, true},
		{"bare", `{}`, `{"structuredContent":{"n":12345678901234567890}}`, false},
	}
	for _, test := range tests {
		r := call(t, m, "s", test.tool, test.args)
		if string(r.Raw) != test.want || r.IsError != test.isError {
			t.Errorf("%s(%s) = %s, error %t", test.tool, test.args, r.Raw, r.IsError)
		}
	}
	_, err := tryCall(t, m, "s", "refuse", `{}`)
	want := `MCP server "s": tool "refuse": bad arguments (code -32602)`
	if err == nil || err.Error() != want {
		t.Errorf("refused with %v, want %s", err, want)
	}
	var rpc *RPCError
	if !errors.As(err, &rpc) || string(rpc.Data) != `{"field":"text"}` {
		t.Errorf("error %#v", err)
	}
}

// TestStdio_Progress: progress arrives in order, before the result, on the
// caller's goroutine; a call that wants none gets none.
func TestStdio_Progress(t *testing.T) {
	t.Parallel()
	m, _ := readyServer(t, upstreamtest.Script{}, nil)
	var steps []Progress
	_, err := m.Call(t.Context(), CallRequest{
		Server: "s", Tool: "count", Arguments: json.RawMessage(`{"steps":5}`),
		Progress: func(p Progress) { steps = append(steps, p) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) != 5 || steps[0] != (Progress{Progress: 1, Total: 5, Message: "step"}) || steps[4].Progress != 5 {
		t.Errorf("progress %+v", steps)
	}
	call(t, m, "s", "count", `{"steps":5}`)
	if len(steps) != 5 {
		t.Errorf("progress of another call arrived: %+v", steps[5:])
	}
}

// TestStdio_Cancel: the server hears of a cancelled call.
func TestStdio_Cancel(t *testing.T) {
	t.Parallel()
	received := upstreamtest.Listen(t)
	m, _ := readyServer(t, upstreamtest.Script{ReceivedFile: received.Address()}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := m.Call(ctx, CallRequest{Server: "s", Tool: "sleep", Arguments: json.RawMessage(`{"ms":3600000}`)})
		ended <- err
	}()
	received.Until("the call's arrival", func(text string) bool { return strings.Contains(text, `"sleep"`) })
	cancel()
	if err := <-ended; err == nil {
		t.Error("a cancelled call has an answer")
	}
	expectCancelled(received)
	call(t, m, "s", "echo", `{}`)
}

// TestStdio_Modern: a server that speaks 2026-07-28 only is found out, and the
// era is remembered.
func TestStdio_Modern(t *testing.T) {
	t.Parallel()
	received := tempFile(t, "received")
	dir := t.TempDir()
	cfg := scriptedConfig(t, "s", upstreamtest.Script{Modern: true, ReceivedFile: received, ChangeEvery: 100 * time.Millisecond})
	for range 2 {
		m := newTestManager(t, Options{StorageDir: dir})
		apply(t, m, cfg)
		s := waitState(t, m, "s", Ready)
		if s.Status.Era != wire.EraModern || s.Status.ProtocolVersion != "2026-07-28" || s.Status.Generation != 1 {
			t.Errorf("status %+v", s.Status)
		}
		call(t, m, "s", "echo", `{}`)
		waitFor(t, m, "s", "an announced tool", func(s ServerSnapshot) bool { return len(s.Tools) > len(upstreamtest.StandardTools()) })
		closeManager(t, m)
	}
	data, err := os.ReadFile(received)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(data), `"method":"initialize"`); n != 1 {
		t.Errorf("the handshake was asked for %d times", n)
	}
	if n := strings.Count(string(data), `"subscriptions/listen"`); n != 2 {
		t.Errorf("%d subscriptions", n)
	}
}

// TestStdio_ModernThatExits: one that exits on the handshake is found out by
// the next attempt.
func TestStdio_ModernThatExits(t *testing.T) {
	t.Parallel()
	m := newTestManager(t, Options{})
	apply(t, m, scriptedConfig(t, "s", upstreamtest.Script{Modern: true, ExitOn: "initialize"}))
	if s := waitState(t, m, "s", Ready); s.Status.Era != wire.EraModern || s.Status.Generation != 2 {
		t.Errorf("status %+v", s.Status)
	}
}

// TestStdio_Recovers: a server that fails at first is started again by itself.
func TestStdio_Recovers(t *testing.T) {
	t.Parallel()
	m := newTestManager(t, Options{})
	apply(t, m, scriptedConfig(t, "s", upstreamtest.Script{ExitOn: "tools/list", ExitOnceFile: tempFile(t, "once")}))
	if s := waitState(t, m, "s", Ready); s.Status.Generation < 2 {
		t.Errorf("generation %d", s.Status.Generation)
	}
}

// TestStdio_Secrets: what the user must keep to himself is in no error, no
// status and no log, even if the server prints it.
func TestStdio_Secrets(t *testing.T) {
	t.Parallel()
	const secret, input = "hunter2-hunter2", "typed-by-the-user"
	m := newTestManager(t, Options{Hooks: Hooks{
		Input: func(context.Context, string, string) (string, error) { return input, nil },
	}})
	cfg := scriptedConfig(t, "s", upstreamtest.Script{
		ExitOn: "initialize", LastWords: "bad password " + secret + " or " + input, Before: []string{secret},
	})
	cfg.Env["DB_PASSWORD"], cfg.Args = secret, []string{"${input:token}"}
	apply(t, m, cfg)
	s := waitState(t, m, "s", Failed)
	log, err := m.Log("s")
	if err != nil {
		t.Fatal(err)
	}
	_, callErr := tryCall(t, m, "s", "echo", "")
	for where, text := range map[string]string{"status": s.Status.Error, "log": log, "call": callErr.Error()} {
		if strings.Contains(text, secret) || strings.Contains(text, input) || !strings.Contains(text, "[redacted]") {
			t.Errorf("%s: %s", where, text)
		}
	}
}

// TestManager_UnknownNames: every method says which name it does not know.
func TestManager_UnknownNames(t *testing.T) {
	t.Parallel()
	m := newTestManager(t, Options{})
	_, logErr := m.Log("x")
	_, callErr := m.Call(t.Context(), CallRequest{Server: "x"})
	for what, err := range map[string]error{
		"log": logErr, "call": callErr, "restart": m.Restart("x"), "stop": m.Stop("x"), "sign in": m.SignIn(t.Context(), "x"),
	} {
		if !errors.As(err, new(*UnknownServerError)) || !strings.Contains(err.Error(), `"x"`) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestManager_SignInLocal: there is nothing to sign in to.
func TestManager_SignInLocal(t *testing.T) {
	t.Parallel()
	m, _ := readyServer(t, upstreamtest.Script{}, nil)
	if err := m.SignIn(t.Context(), "s"); err == nil || !strings.Contains(err.Error(), "local program") {
		t.Errorf("error %v", err)
	}
}
