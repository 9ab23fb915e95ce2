package daemon_test

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestUndoAfterRestart: a host that still offers to undo an edit of an earlier
// daemon undoes no other one by that.
func TestUndoAfterRestart(t *testing.T) {
	t.Parallel()
	o := daemontest.Options{Workspace: t.TempDir()}
	save(t, o.Workspace, servers{"s": scripted(t, upstreamtest.Script{})}, nil)
	edit := func(enabled bool) (*daemontest.Host, protocol.EditResult) {
		h := daemontest.Run(t, o)
		h.Initialize(nil)
		h.UntilState("s", protocol.ServerReady)
		return h, daemontest.Call[protocol.EditResult](h, protocol.MethodToolSetEnabled,
			protocol.ToolSetEnabledParams{Server: "s", Tool: "echo", Enabled: enabled})
	}
	_, first := edit(false)
	h, second := edit(true)
	if !first.Changed || !second.Changed {
		t.Fatalf("the edits changed nothing: %+v, %+v", first, second)
	}
	now := readFile(t, winnowFile(o.Workspace))
	e := h.Refused(protocol.MethodEditUndo, protocol.EditUndoParams{Edit: first.Edit})
	if e.Code != protocol.CodeInvalidParams || !strings.Contains(e.Message, "winnowd was started anew") {
		t.Errorf("an edit of an earlier daemon: %v", e)
	}
	if after := readFile(t, winnowFile(o.Workspace)); after != now {
		t.Errorf("the file was changed:\n%s", after)
	}
}

// TestToolSetEnabled_hostTool: what is switched off is written by the server's
// own name, is off under the host's, and switched on again leaves nothing.
func TestToolSetEnabled_hostTool(t *testing.T) {
	t.Parallel()
	h := daemontest.Run(t, daemontest.Options{Workspace: t.TempDir()})
	h.Initialize(nil)
	tools := []protocol.HostTool{{Server: "github", Tool: "create_issue", Name: "mcp_github_create_issue", Description: "Creates an issue."}}
	daemontest.Call[protocol.SetHostToolsResult](h, protocol.MethodSetHostTools, protocol.SetHostToolsParams{Source: "vscode", Tools: tools})
	for _, tt := range []struct {
		enabled bool
		want    string
	}{
		{false, "{\n  \"servers\": {\n    \"github\": {\n      \"disabledTools\": [\"create_issue\"]\n    }\n  }\n}\n"},
		{true, "{}\n"},
	} {
		edit := daemontest.Call[protocol.EditResult](h, protocol.MethodToolSetEnabled,
			protocol.ToolSetEnabledParams{Server: "github", Tool: "mcp_github_create_issue", Enabled: tt.enabled})
		if got := readFile(t, winnowFile(h.Options.Workspace)); got != tt.want || !edit.Changed {
			t.Errorf("enabled %t: the file is\n%s\nwant\n%s", tt.enabled, got, tt.want)
		}
		list := daemontest.Call[protocol.CatalogListResult](h, protocol.MethodCatalogList, protocol.CatalogListParams{Source: "vscode"})
		if len(list.Tools) != 1 || list.Tools[0].InScope != tt.enabled {
			t.Errorf("enabled %t: the catalogue has %+v", tt.enabled, list.Tools)
		}
	}
}

// TestEditUndo_newFile: a file that an edit made goes when the edit is undone.
func TestEditUndo_newFile(t *testing.T) {
	t.Parallel()
	h := daemontest.Run(t, daemontest.Options{Workspace: t.TempDir()})
	h.Initialize(nil)
	tools := []protocol.HostTool{{Server: "github", Tool: "create_issue", Name: "mcp_github_create_issue", Description: "Creates an issue."}}
	daemontest.Call[protocol.SetHostToolsResult](h, protocol.MethodSetHostTools, protocol.SetHostToolsParams{Source: "vscode", Tools: tools})
	edit := daemontest.Call[protocol.EditResult](h, protocol.MethodServerSetEnabled, protocol.ServerSetEnabledParams{Name: "github"})
	undone := daemontest.Call[protocol.EditResult](h, protocol.MethodEditUndo, protocol.EditUndoParams{Edit: edit.Edit})
	if _, err := os.Stat(winnowFile(h.Options.Workspace)); !errors.Is(err, fs.ErrNotExist) || !undone.Changed {
		t.Errorf("undone %+v; the file is there: %v", undone, err)
	}
}
