package workspace_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// editing is an edit that can be made again.
type editing struct {
	what string
	do   func() protocol.EditResult
}

func does[P any](h *enginetest.Host, edit func(context.Context, *P) (protocol.EditResult, error), p P) editing {
	return editing{fmt.Sprintf("%T %+v", p, p), func() protocol.EditResult { return enginetest.Call(h, edit, p) }}
}

// TestEdits: a tool is switched in the user's own file; what the user wrote
// around it survives, and it counts when the answer comes.
func TestEdits(t *testing.T) {
	t.Parallel()
	e := configtest.Scripted(t, upstreamtest.Script{})
	env, err := json.Marshal(e.Env)
	if err != nil {
		t.Fatal(err)
	}
	o := enginetest.Options{Workspace: t.TempDir()}
	before := `{
  // The servers of the team.
  "servers": {
    "s": {
      "command": ` + strconv.Quote(e.Command) + `, // the test itself
      "env": ` + string(env) + `,
      "onlyAllow": [
        "echo",  // harmless
        "count",
      ],
    },
  },
  "modes": { "review": {} },
}
`
	configtest.Write(t, configtest.WinnowFile(o.Workspace), before)
	h := enginetest.Start(t, o, nil)
	h.UntilState("s", protocol.ServerReady)
	in := func(tool string) bool { return h.InScope("s", tool) }
	for _, step := range []struct {
		edit    editing
		changed bool
		holds   func() bool
		wrote   string
	}{
		{does(h, h.ToolSetEnabled, protocol.ToolSetEnabledParams{Server: "s", Tool: "env", Enabled: true}), true,
			func() bool { return in("env") && in("echo") }, `"env"`},
		{does(h, h.ToolSetEnabled, protocol.ToolSetEnabledParams{Server: "s", Tool: "env", Enabled: true}), false,
			func() bool { return in("env") }, `"env"`},
		{does(h, h.ToolSetEnabled, protocol.ToolSetEnabledParams{Server: "s", Tool: "count", Enabled: false}), true,
			func() bool { return !in("count") && in("echo") }, `// harmless`},
		{does(h, h.ToolSetAlwaysLoad, protocol.ToolSetAlwaysLoadParams{Server: "s", Tool: "echo", AlwaysLoad: true}), true,
			func() bool { return h.Open("x").Tools[0].Name == "echo" }, `"alwaysLoad"`},
		{does(h, h.ToolSetDescription, protocol.ToolSetDescriptionParams{Server: "s", Tool: "echo", Description: "Ours."}), true,
			func() bool { return h.Open("x").Tools[0].Description == "Ours." }, `"Ours."`},
		{does(h, h.ToolApprove, protocol.ToolApproveParams{Server: "s", Tool: "echo", Approved: true}), true,
			func() bool { return true }, `"alwaysAllow"`},
		{does(h, h.ToolSetAlwaysLoad, protocol.ToolSetAlwaysLoadParams{Server: "s", AlwaysLoad: true}), true,
			func() bool { s, _ := h.Server("s"); return s.AlwaysLoad && len(h.Open("x").Tools) > 0 }, `"alwaysLoad": true`},
		{does(h, h.ServerSetEnabled, protocol.ServerSetEnabledParams{Name: "s", Enabled: false}), true,
			func() bool { s, _ := h.Server("s"); return s.InScope == 0 }, `"disabled": true`},
	} {
		was := configtest.Read(t, configtest.WinnowFile(o.Workspace))
		r := step.edit.do()
		if (r.Edit != "") != step.changed {
			t.Errorf("%s can be undone: %q", step.edit.what, r.Edit)
		}
		if r.Edit != "" { // there and back again
			undone := enginetest.Call(h, h.EditUndo, protocol.EditUndoParams{Edit: r.Edit})
			if now := configtest.Read(t, configtest.WinnowFile(o.Workspace)); now != was || !undone.Changed {
				t.Errorf("%s undone left\n%s", step.edit.what, now)
			}
			if e := enginetest.Refused(h, h.EditUndo, protocol.EditUndoParams{Edit: r.Edit}); e.Data.Kind != protocol.KindInvalidParams {
				t.Errorf("undone twice: %v", e)
			}
			r = step.edit.do()
		}
		now := configtest.Read(t, configtest.WinnowFile(o.Workspace))
		if r.File != configtest.WinnowFile(o.Workspace) || r.Changed != step.changed || !strings.Contains(now, step.wrote) {
			t.Errorf("%s answered %+v and wrote\n%s", step.edit.what, r, now)
		}
		if !step.holds() {
			t.Errorf("%s is not in force when it is answered", step.edit.what)
		}
	}
	blocked := enginetest.Call(h, h.ModeSetServerBlocked,
		protocol.ModeSetServerBlockedParams{Mode: "review", Server: "s", Blocked: true})
	if now := configtest.Read(t, configtest.WinnowFile(o.Workspace)); !blocked.Changed || !strings.Contains(now, `"blockedMcpServers"`) {
		t.Errorf("mode/setServerBlocked answered %+v and wrote\n%s", blocked, now)
	}
	modes := h.Engine.Modes.List().Modes
	if len(modes) != 1 || modes[0].Line == 0 || !slices.Equal(modes[0].BlockedMcpServers, []string{"s"}) {
		t.Errorf("the block is not in force when it is answered: %+v", modes)
	}
	for _, p := range []protocol.ModeSetServerBlockedParams{{Mode: "none", Server: "s"}, {Mode: "review", Server: "none"}} {
		if e := enginetest.Refused(h, h.ModeSetServerBlocked, p); e.Data.Kind != protocol.KindUnknownMode && e.Data.Kind != protocol.KindUnknownServer {
			t.Errorf("%+v: %v", p, e)
		}
	}
	after := configtest.Read(t, configtest.WinnowFile(o.Workspace))
	configtest.Write(t, configtest.WinnowFile(o.Workspace), after+"\n")
	if e := enginetest.Refused(h, h.EditUndo, protocol.EditUndoParams{Edit: blocked.Edit}); e.Data.Kind != protocol.KindEdit {
		t.Errorf("an undo of a file that was changed since: %v", e)
	}
	configtest.Write(t, configtest.WinnowFile(o.Workspace), after) // what hindered it is gone: it can be tried again
	if undone := enginetest.Call(h, h.EditUndo, protocol.EditUndoParams{Edit: blocked.Edit}); !undone.Changed || undone.Edit != "" {
		t.Errorf("undone at last: %+v", undone)
	}
	for _, kept := range []string{"// The servers of the team.", "// the test itself", "// harmless"} {
		if !strings.Contains(after, kept) {
			t.Errorf("%q is lost:\n%s", kept, after)
		}
	}
	if e := enginetest.Refused(h, h.ToolSetEnabled, protocol.ToolSetEnabledParams{Server: "none", Tool: "x"}); e.Data.Kind != protocol.KindUnknownServer {
		t.Errorf("an unknown server: %v", e)
	}
	configtest.Write(t, configtest.WinnowFile(o.Workspace), "{ broken")
	h.Until("the problem to be told", func() bool {
		return slices.ContainsFunc(h.Messages(),
			func(p protocol.ShowMessageParams) bool {
				return p.File == configtest.WinnowFile(o.Workspace) && p.Line == 1 && p.Next != ""
			})
	})
	if e := enginetest.Refused(h, h.ServerSetEnabled, protocol.ServerSetEnabledParams{Name: "s", Enabled: true}); e.Data.Kind != protocol.KindEdit || e.Data.File == "" {
		t.Errorf("an edit of a broken file: %v", e)
	}
	// The last good configuration stays. A server that was just starting ends first.
	h.UntilState("s", protocol.ServerDisabled)
}

// TestEdits_hostServer: a switch of a server that only a host has is written into the
// user's own file, and into the folder's where that has the rule already.
func TestEdits_hostServer(t *testing.T) {
	t.Parallel()
	o := enginetest.Options{Workspace: t.TempDir(), Home: t.TempDir(), Storage: t.TempDir()}
	h := enginetest.Start(t, o, nil)
	enginetest.Call(h, h.SetHostTools, protocol.SetHostToolsParams{Source: "vscode:1", Tools: []protocol.HostTool{
		{Server: "notes", Name: "mcp_notes_read", Tool: "read", Description: "Reads."},
		{Server: "notes", Name: "mcp_notes_write", Tool: "write", Description: "Writes."},
	}})
	user := ownFile(o.Home)
	folder := configtest.WinnowFile(o.Workspace)
	off := enginetest.Call(h, h.ToolSetEnabled, protocol.ToolSetEnabledParams{Server: "notes", Tool: "read"})
	if !off.Changed || off.File != user || !strings.Contains(configtest.Read(t, user), `"read"`) {
		t.Errorf("the switch of a tool answered %+v", off)
	}
	enginetest.Call(h, h.ServerSetEnabled, protocol.ServerSetEnabledParams{Name: "notes"})
	if now := configtest.Read(t, user); !strings.Contains(now, `"disabled": true`) {
		t.Errorf("the switch of the server wrote\n%s", now)
	}
	if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder's file is there: %v", err)
	}

	o.Home, o.Storage = t.TempDir(), t.TempDir()
	configtest.Write(t, folder, `{"servers":{"notes":{"disabledTools":["write"]}}}`)
	h = enginetest.Start(t, o, nil)
	enginetest.Call(h, h.SetHostTools, protocol.SetHostToolsParams{Source: "vscode:1", Tools: []protocol.HostTool{
		{Server: "notes", Name: "mcp_notes_write", Tool: "write", Description: "Writes."},
	}})
	on := enginetest.Call(h, h.ToolSetEnabled, protocol.ToolSetEnabledParams{Server: "notes", Tool: "write", Enabled: true})
	if !on.Changed || on.File != folder || on.By != nil {
		t.Errorf("taking back a rule of the folder's file answered %+v", on)
	}
	if r := enginetest.Call(h, h.ServerSetEnabled, protocol.ServerSetEnabledParams{Name: "notes"}); !r.Changed || r.File == folder {
		t.Errorf("another rule went into the folder's file: %+v", r)
	}
}
