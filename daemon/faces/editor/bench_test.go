package editor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/rpc"
	"github.com/winnow-mcp/winnow/protocol"
)

// windowTurns are the turns of a task, after its first, that rank.
const windowTurns = 6

// BenchmarkDispatch measures task/turn in the daemon alone, at a thousand
// tools: from the params as they came to the result as it is sent. Its engine is
// a real one: what a turn costs is what the engine does.
func BenchmarkDispatch(b *testing.B) {
	s := benchServer(b)
	messages := []string{"list the invoices", "thanks, go on", "which sensors reported nothing since Monday?"}
	var params json.RawMessage
	var took []time.Duration
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if turn := i % windowTurns; turn == 0 {
			b.StopTimer()
			task := benchAsk[protocol.Attachment](b, s, protocol.MethodTaskOpen,
				protocol.TaskOpenParams{Message: "create a ticket", Source: "host"}).Task
			params = codec.Marshal(protocol.TaskTurnParams{Task: task, Message: messages[i%len(messages)]})
			b.StartTimer()
		}
		start := time.Now()
		result, err := s.dispatchNow(b.Context(), protocol.MethodTaskTurn, params)
		if err != nil {
			b.Fatal(err)
		}
		codec.Marshal(result)
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e6, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1e6, "p99-ms")
}

// dispatchNow answers a request on the caller's goroutine.
func (s *Session) dispatchNow(ctx context.Context, method string, params json.RawMessage) (any, error) {
	result, err := s.dispatch(ctx, rpc.Request{Method: method, Params: params, Call: true})
	if work, ok := result.(rpc.Deferred); ok && err == nil {
		return work()
	}
	return result, err
}

func benchAsk[R any](b *testing.B, s *Session, method string, params any) R {
	b.Helper()
	result, err := s.dispatchNow(b.Context(), method, codec.Marshal(params))
	if err != nil {
		b.Fatal(err)
	}
	return result.(R)
}

// benchServer is a session with a thousand tools of a host.
func benchServer(b *testing.B) *Session {
	b.Helper()
	s := testSession(b)
	in, hangUp := io.Pipe()
	ended := make(chan error, 1)
	s.connect(b.Context(), in, io.Discard)
	go func() { ended <- s.closeAfter(in) }()
	b.Cleanup(func() {
		_ = hangUp.Close()
		if err := <-ended; err != nil {
			b.Error(err)
		}
	})
	benchAsk[protocol.InitializeResult](b, s, protocol.MethodInitialize,
		protocol.InitializeParams{ProtocolVersion: protocol.Version, HomeDir: b.TempDir(), UserConfigDir: b.TempDir()})
	tools := make([]protocol.HostTool, 1000)
	verbs, nouns := []string{"create", "delete", "list", "update"}, []string{"ticket", "invoice", "sensor", "branch", "recipe"}
	for i := range tools {
		verb, noun := verbs[i%len(verbs)], nouns[i/len(verbs)%len(nouns)]
		tools[i] = protocol.HostTool{
			Server: noun, Name: fmt.Sprintf("%s_%s_%d", verb, noun, i),
			Description: fmt.Sprintf("%s a %s in project %d, when the user asks for it by its name or its number.", verb, noun, i),
			InputSchema: json.RawMessage(`{"type":"object","properties":{"id":{"type":"string","description":"Identifier"},` +
				`"label":{"type":"string","description":"Only those with this label"},"limit":{"type":"integer"}},"required":["id"]}`),
		}
	}
	benchAsk[protocol.SetHostToolsResult](b, s, protocol.MethodSetHostTools, protocol.SetHostToolsParams{Source: "host", Tools: tools})
	return s
}

// closeAfter ends the session when its input ends.
func (s *Session) closeAfter(in io.Reader) error {
	_, _ = io.Copy(io.Discard, in)
	s.conn.Run()
	return s.finish()
}

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
