package workspace_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestWorkspace_brokenConfigIsTold: a setting and a file that cannot be used are
// both told.
func TestWorkspace_brokenConfigIsTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	configtest.Write(t, configtest.WinnowFile(dir), "{\n  \"servers\": {\n")
	h := enginetest.Start(t, enginetest.Options{Workspace: dir}, map[string]any{"serchTurns": 3})
	h.Until("both problems", func() bool {
		told := fmt.Sprint(h.Messages())
		return strings.Contains(told, "winnow.serchTurns") && strings.Contains(told, "winnow.json")
	})
}

// TestWorkspace_faultsAreNotTold: a host that shows faults at their lines, for as
// long as they are there, gets no message that would stay.
func TestWorkspace_faultsAreNotTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	configtest.Write(t, configtest.WinnowFile(dir), "{\n  \"servers\": {\n")
	h := enginetest.Start(t, enginetest.Options{Workspace: dir, User: &enginetest.User{Can: protocol.ClientCapabilities{Faults: true}}}, nil)
	h.Until("the fault", func() bool { return len(h.Catalog().Faults) == 1 })
	if told := h.Messages(); len(told) != 0 {
		t.Errorf("got %+v, want no message", told)
	}
}
