package workspace_test

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestUndoAfterRestart: a host that still offers to undo an edit of an earlier
// daemon undoes no other one by that.
func TestUndoAfterRestart(t *testing.T) {
	t.Parallel()
	o := enginetest.Options{Workspace: t.TempDir()}
	configtest.Save(t, o.Workspace, configtest.Servers{"s": configtest.Scripted(t, upstreamtest.Script{})}, nil)
	edit := func(enabled bool) (*enginetest.Host, protocol.EditResult) {
		h := enginetest.Start(t, o, nil)
		h.UntilState("s", protocol.ServerReady)
		return h, enginetest.Call(h, h.ToolSetEnabled,
			protocol.ToolSetEnabledParams{Server: "s", Tool: "echo", Enabled: enabled})
	}
	_, first := edit(false)
	h, second := edit(true)
	if !first.Changed || !second.Changed {
		t.Fatalf("the edits changed nothing: %+v, %+v", first, second)
	}
	now := configtest.Read(t, configtest.WinnowFile(o.Workspace))
	e := enginetest.Refused(h, h.EditUndo, protocol.EditUndoParams{Edit: first.Edit})
	if e.Data.Kind != protocol.KindInvalidParams || !strings.Contains(e.Message, "winnowd was started anew") {
		t.Errorf("an edit of an earlier daemon: %v", e)
	}
	if after := configtest.Read(t, configtest.WinnowFile(o.Workspace)); after != now {
		t.Errorf("the file was changed:\n%s", after)
	}
}

// TestToolSetEnabled_hostTool: what is switched off is written by the server's
// own name, is off under the host's, and switched on again leaves nothing.
func TestToolSetEnabled_hostTool(t *testing.T) {
	t.Parallel()
	h := enginetest.Start(t, enginetest.Options{Workspace: t.TempDir(), Home: t.TempDir()}, nil)
	tools := []protocol.HostTool{{Server: "github", Tool: "create_issue", Name: "mcp_github_create_issue", Description: "Creates an issue."}}
	enginetest.Call(h, h.SetHostTools, protocol.SetHostToolsParams{Source: "vscode", Tools: tools})
	for _, tt := range []struct {
		enabled bool
		want    string
	}{
		{false, "{\n  \"servers\": {\n    \"github\": {\n      \"disabledTools\": [\"create_issue\"]\n    }\n  }\n}\n"},
		{true, "{}\n"},
	} {
		edit := enginetest.Call(h, h.ToolSetEnabled,
			protocol.ToolSetEnabledParams{Server: "github", Tool: "mcp_github_create_issue", Enabled: tt.enabled})
		if got := configtest.Read(t, ownFile(h.Options.Home)); got != tt.want || !edit.Changed {
			t.Errorf("enabled %t: the file is\n%s\nwant\n%s", tt.enabled, got, tt.want)
		}
		list := enginetest.Call(h, h.CatalogList, protocol.CatalogListParams{Source: "vscode"})
		if len(list.Tools) != 1 || list.Tools[0].InScope != tt.enabled {
			t.Errorf("enabled %t: the catalogue has %+v", tt.enabled, list.Tools)
		}
	}
}

// TestEditUndo_newFile: a file that an edit made goes when the edit is undone.
func TestEditUndo_newFile(t *testing.T) {
	t.Parallel()
	h := enginetest.Start(t, enginetest.Options{Workspace: t.TempDir()}, nil)
	tools := []protocol.HostTool{{Server: "github", Tool: "create_issue", Name: "mcp_github_create_issue", Description: "Creates an issue."}}
	enginetest.Call(h, h.SetHostTools, protocol.SetHostToolsParams{Source: "vscode", Tools: tools})
	edit := enginetest.Call(h, h.ServerSetEnabled, protocol.ServerSetEnabledParams{Name: "github"})
	undone := enginetest.Call(h, h.EditUndo, protocol.EditUndoParams{Edit: edit.Edit})
	if _, err := os.Stat(configtest.WinnowFile(h.Options.Workspace)); !errors.Is(err, fs.ErrNotExist) || !undone.Changed {
		t.Errorf("undone %+v; the file is there: %v", undone, err)
	}
}
