package daemon

import (
	"slices"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

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
	for name := range New(Options{}).table {
		answered = append(answered, name)
	}
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
