package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/daemontest/gatewaytest"
	"github.com/winnow-mcp/winnow/daemon/faces/gateway"
)

// newFace returns a face of a fake engine. It is to be closed.
func newFace(f gateway.Engine) *gateway.Face {
	return gateway.New(f, gateway.Options{
		Version: "test", Program: func() string { return "winnowd" }, Log: slog.New(slog.DiscardHandler), Environ: os.LookupEnv,
	})
}

// faceOf serves clients on a fake engine until the end of the test.
func faceOf(t testing.TB, f *fakeEngine) *gateway.Face {
	face := newFace(f)
	t.Cleanup(func() {
		if err := face.Close(); err != nil {
			t.Errorf("the face ends with %v", err)
		}
	})
	return face
}

// join connects a client of that name over streams. One that is plain supports
// nothing that can be asked.
func join(t testing.TB, face *gateway.Face, name string, plain bool) *gatewaytest.Person {
	t.Helper()
	return gatewaytest.Join(t, streams(t, face), name, plain)
}

// streams is the transport of a client over streams.
func streams(t testing.TB, face *gateway.Face) transport.Interface {
	t.Helper()
	fromClient, toFace := io.Pipe()
	fromFace, toClient := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := face.ServePipe(context.WithoutCancel(t.Context()), fromClient, toClient)
		_ = toClient.Close() // of a pipe never fails
		ended <- err
	}()
	t.Cleanup(func() {
		_ = toFace.Close() // of a pipe never fails
		if err := <-ended; err != nil {
			t.Errorf("the session ends with %v", err)
		}
	})
	return transport.NewIO(fromFace, toFace, nil)
}

// answerTo returns what is answered to one request of a client with a session,
// as it is on the wire.
func answerTo(t testing.TB, face *gateway.Face, method, params string) string {
	t.Helper()
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"hand","version":"1"}}}`
	return written(t, face, 2, hello, `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":%q,"params":%s}`, method, params))
}

// written writes all lines at once, and returns the answer to the one of an id.
func written(t testing.TB, face *gateway.Face, id int, lines ...string) string {
	t.Helper()
	var out strings.Builder
	if err := face.ServePipe(t.Context(), strings.NewReader(strings.Join(lines, "\n")+"\n"), &out); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		var answer struct{ ID int }
		if json.Unmarshal([]byte(line), &answer) == nil && answer.ID == id {
			return line
		}
	}
	t.Fatalf("no answer in %s", out.String())
	return ""
}

// notified returns the methods of the notifications that a client has got since
// it was asked last, when nothing is under way any more.
func notified(p *gatewaytest.Person) []string {
	synctest.Wait()
	var methods []string
	for len(p.Told) > 0 {
		methods = append(methods, (<-p.Told).Method)
	}
	return methods
}

// listChanged is told of a list of tools that has changed.
const listChanged = mcp.MethodNotificationToolsListChanged
