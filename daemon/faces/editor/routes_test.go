package editor

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/protocol"
)

// noGateway is a session's gateway that nobody reaches.
type noGateway struct{}

func (noGateway) Info() (protocol.GatewayInfoResult, error) { return protocol.GatewayInfoResult{}, nil }
func (noGateway) FollowFolders()                            {}
func (noGateway) Close() error                              { return nil }

// testSession is a session that has no connection yet.
func testSession(testing.TB) *Session {
	return New(Options{
		Engine:       engine.Options{Log: slog.New(slog.DiscardHandler)},
		ShutdownTime: time.Minute,
		Gateway:      func(*engine.Engine) Gateway { return noGateway{} },
	})
}

// TestRoutes_answerTheMethodTable fails when a method is declared and not
// answered, or answered and not declared.
func TestRoutes_answerTheMethodTable(t *testing.T) {
	t.Parallel()
	var declared []string
	for _, m := range protocol.Methods() {
		// The connection itself takes cancels.
		if m.Direction != protocol.ToClient && m.Name != protocol.MethodCancelRequest {
			declared = append(declared, m.Name)
		}
	}
	var answered []string
	s := testSession(t)
	e := engine.Open(s.options.Engine, host.None{}, &protocol.InitializeParams{HomeDir: t.TempDir(), UserConfigDir: t.TempDir()})
	t.Cleanup(func() {
		if err := e.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	s.connect(t.Context(), strings.NewReader(""), io.Discard)
	answered = slices.AppendSeq(answered, maps.Keys(s.lifecycleRoutes()))
	answered = slices.AppendSeq(answered, maps.Keys(s.routes(partsOf(e), nil)))
	slices.Sort(declared)
	slices.Sort(answered)
	if !slices.Equal(declared, answered) {
		t.Errorf("declared %q\nanswered %q", declared, answered)
	}
}

// TestCodes_everyKindHasOne fails when an error would be sent without a code.
func TestCodes_everyKindHasOne(t *testing.T) {
	t.Parallel()
	for kind, code := range codes() {
		if code == 0 {
			t.Errorf("kind %s has no code", kind)
		}
		if code < 0 && !slices.Contains([]protocol.Code{
			protocol.CodeParseError, protocol.CodeInvalidRequest, protocol.CodeMethodNotFound,
			protocol.CodeInvalidParams, protocol.CodeInternalError, protocol.CodeServerNotInitialized,
			protocol.CodeRequestCancelled, protocol.CodeContentModified,
		}, code) {
			t.Errorf("kind %s has the reserved code %d", kind, code)
		}
	}
}
