package editor

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/rpc"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestFileRoutes_noTool: an edit of a tool that names none is refused before the
// engine, which is none here, sees it.
func TestFileRoutes_noTool(t *testing.T) {
	t.Parallel()
	routes := fileRoutes(nil)
	for _, method := range []string{protocol.MethodToolSetEnabled, protocol.MethodToolApprove, protocol.MethodToolSetDescription} {
		_, err := answer(routes[method](t.Context(), json.RawMessage(`{"server":"s"}`)))
		var refusal *failure.Error
		if !errors.As(err, &refusal) || refusal.Kind != protocol.KindInvalidParams {
			t.Errorf("%s: got %v, want a refusal of kind %s", method, err, protocol.KindInvalidParams)
		}
	}
}

// answer is what a route answers, now or when its work is done.
func answer(result any, err error) (any, error) {
	if work, ok := result.(rpc.Deferred); ok && err == nil {
		return work()
	}
	return result, err
}
