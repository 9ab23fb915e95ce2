package workspace_test

import (
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestImport: the servers of a file are listed, move on the disk as the user was
// shown it, and come back, once.
func TestImport(t *testing.T) {
	t.Parallel()
	const left = "{\n  \"mcpServers\": {\n    \"a\": { \"command\": \"x\" }\n  }\n}\n"
	text := strings.Replace(left, "\n  }", ",\n    \"b b\": { \"command\": \"y\" } // new\n  }", 1)
	const own = "{\n  \"servers\": {\n    \"b b\": { \"command\": \"y\" } // new\n  }\n}\n"
	workspace := t.TempDir()
	file := filepath.Join(workspace, ".mcp.json")
	configtest.Write(t, file, text)
	h := enginetest.Start(t, enginetest.Options{Workspace: workspace}, nil)

	files := enginetest.Call(h, h.ImportList, protocol.Empty{}).Files
	if len(files) != 1 || files[0].Client != "Claude Code" || len(files[0].Servers) != 2 || files[0].Servers[1].Name != "b b" {
		t.Fatalf("listed is %+v", files)
	}
	uri, target := files[0].URI, files[0].Target
	if path, err := url.Parse(uri); err != nil || !strings.HasSuffix(path.Path, "/.mcp.json") {
		t.Errorf("the file's URI is %s, %v", uri, err)
	}
	plan := protocol.ImportPlanParams{Source: uri, Target: target, Servers: []string{"b b"}}
	planned := enginetest.Call(h, h.ImportPlan, plan)
	want := []protocol.FileChange{{URI: target, After: new(own)}, {URI: uri, Before: &text, After: new(left)}}
	if !reflect.DeepEqual(planned.Changes, want) {
		t.Fatalf("planned %+v, want %+v", planned.Changes, want)
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != text {
		t.Errorf("a plan has made the file %q, %v", data, err)
	}

	setting := protocol.ImportSetting{Name: "gateway.inVSCode", After: true}
	apply := protocol.ImportApplyParams{Plan: plan, Changes: planned.Changes, Settings: []protocol.ImportSetting{setting}}
	configtest.Write(t, file, text+"\n")
	if e := enginetest.Refused(h, h.ImportApply, apply); e.Data.Kind != protocol.KindEdit || !strings.Contains(e.Message, "changed meanwhile") {
		t.Errorf("what the user was not shown is refused with %v", e)
	}
	configtest.Write(t, file, text)
	made := enginetest.Call(h, h.ImportApply, apply)
	moved := map[string]string{file: left, filepath.Join(workspace, ".vscode", "winnow.json"): own}
	for path, want := range moved {
		if data, err := os.ReadFile(path); err != nil || string(data) != want {
			t.Errorf("moved, %s is %q, %v, want %q", path, data, err, want)
		}
	}
	history, err := h.Engine.Imports.History()
	if got := history.Imports; err != nil || len(got) != 1 || got[0].Import != made.Import || got[0].Source != uri || got[0].Settings[0] != setting {
		t.Errorf("the history has %+v, %v", got, err)
	}
	id := protocol.ImportPlanUndoParams(made)
	undoing := enginetest.Call(h, h.ImportPlanUndo, id)
	undo := protocol.ImportUndoParams{Import: made.Import, Changes: planned.Changes}
	if e := enginetest.Refused(h, h.ImportUndo, undo); !strings.Contains(e.Message, "changed meanwhile") {
		t.Errorf("an undoing that the user was not shown is refused with %v", e)
	}
	undo.Changes = undoing.Changes
	enginetest.Call(h, h.ImportUndo, undo)
	if data, err := os.ReadFile(file); err != nil || string(data) != text {
		t.Errorf("undone, the file is %q, %v", data, err)
	}
	if e := enginetest.Refused(h, h.ImportPlanUndo, id); e.Data.Kind != protocol.KindInvalidParams || !strings.Contains(e.Message, "undone already") {
		t.Errorf("undone twice: %v", e)
	}
}

// TestImport_alwaysAllow: what another client ran unasked runs so after an import,
// and stands in the list of approvals as that, with since when.
func TestImport_alwaysAllow(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	configtest.Write(t, filepath.Join(home, ".cline", "data", "settings", "cline_mcp_settings.json"),
		`{"mcpServers":{"notes":{"command":"x","disabled":true,"autoApprove":["read"]}}}`)
	configtest.Write(t, filepath.Join(home, "winnow", "winnow.json"), `{"servers":{"own":{"command":"x","disabled":true,"alwaysAllow":["write"]}}}`)
	h := enginetest.Start(t, enginetest.Options{Workspace: t.TempDir(), Home: home}, nil)
	files := enginetest.Call(h, h.ImportList, protocol.Empty{}).Files
	if len(files) != 1 || files[0].Client != "Cline" {
		t.Fatalf("listed is %+v", files)
	}
	plan := protocol.ImportPlanParams{Source: files[0].URI, Target: files[0].Target, Servers: []string{"notes"}}
	planned := enginetest.Call(h, h.ImportPlan, plan)
	enginetest.Call(h, h.ImportApply, protocol.ImportApplyParams{Plan: plan, Changes: planned.Changes})
	imported := func() (a protocol.Approval) {
		for _, one := range h.Engine.Approvals.List() {
			if one.Kind == protocol.ApprovalAlwaysAllow && one.Server == "notes" {
				a = one
			}
		}
		return a
	}
	h.Until("what was imported to be in force", func() bool { return imported().Server != "" })
	if a := imported(); a.Tool != "read" || a.Imported != "Cline" || a.Since == 0 {
		t.Errorf("the list has %+v", a)
	}
	for _, one := range h.Engine.Approvals.List() {
		if one.Server == "own" && one.Imported != "" {
			t.Errorf("what was given to Winnow counts as imported: %+v", one)
		}
	}
	enginetest.Call(h, h.ApprovalRevoke, protocol.ApprovalRevokeParams{ID: imported().ID})
	h.Until("it to be taken back", func() bool { return imported().Server == "" })
}

// TestImport_claudeUnasked: what the user let Claude Code run unasked stands in the
// list of approvals with its name; what a folder's settings allow does not.
func TestImport_claudeUnasked(t *testing.T) {
	t.Parallel()
	home, folder := t.TempDir(), t.TempDir()
	configtest.Write(t, filepath.Join(home, ".claude.json"), `{"mcpServers":{"notes":{"command":"x","disabled":true}}}`)
	configtest.Write(t, filepath.Join(home, ".claude", "settings.json"), `{"permissions":{"allow":["mcp__notes__read"]}}`)
	for _, name := range []string{"settings.json", "settings.local.json"} {
		configtest.Write(t, filepath.Join(folder, ".claude", name), `{"permissions":{"allow":["mcp__notes__drop"]}}`)
	}
	h := enginetest.Start(t, enginetest.Options{Workspace: folder, Home: home}, nil)
	files := enginetest.Call(h, h.ImportList, protocol.Empty{}).Files
	if len(files) != 1 || files[0].Client != "Claude Code" {
		t.Fatalf("listed is %+v", files)
	}
	plan := protocol.ImportPlanParams{Source: files[0].URI, Target: files[0].Target, Servers: []string{"notes"}}
	planned := enginetest.Call(h, h.ImportPlan, plan)
	if after := planned.Changes[0].After; after == nil || !strings.Contains(*after, `"alwaysAllow": ["read"]`) {
		t.Errorf("the user is not shown what runs unasked: %+v", planned.Changes[0])
	}
	enginetest.Call(h, h.ImportApply, protocol.ImportApplyParams{Plan: plan, Changes: planned.Changes})
	var imported []protocol.Approval
	h.Until("what was imported to be in force", func() bool {
		imported = slices.DeleteFunc(h.Engine.Approvals.List(), func(a protocol.Approval) bool {
			return a.Kind != protocol.ApprovalAlwaysAllow
		})
		return len(imported) > 0
	})
	if a := imported[0]; len(imported) > 1 || a.Tool != "read" || a.Imported != "Claude Code" || a.Since == 0 {
		t.Errorf("the list has %+v", imported)
	}
}

// TestImport_refused: what cannot be planned is told with the place.
func TestImport_refused(t *testing.T) {
	t.Parallel()
	h := enginetest.Start(t, enginetest.Options{Workspace: t.TempDir(), Home: t.TempDir()}, nil)
	folder := (&url.URL{Scheme: "file", Path: filepath.ToSlash(h.Options.Workspace)}).String()
	configtest.Write(t, filepath.Join(h.Options.Workspace, ".mcp.json"), "{\n  broken")
	for _, tt := range []struct {
		source string
		kind   protocol.ErrorKind
		want   string
	}{
		{folder + "/elsewhere.json", protocol.KindInvalidParams, "no servers can be moved from"},
		{"vscode-vfs://github/x/.mcp.json", protocol.KindInvalidParams, "not a file: URI"},
		{folder + "/.vscode/mcp.json", protocol.KindInvalidParams, "no servers can be moved from"},
		{folder + "/.mcp.json", protocol.KindEdit, ".mcp.json:2:3: invalid JSON"},
	} {
		plan := protocol.ImportPlanParams{Source: tt.source, Target: folder + "/.vscode/winnow.json", Servers: []string{"a"}}
		e := enginetest.Refused(h, h.ImportPlan, plan)
		if e.Data.Kind != tt.kind || !strings.Contains(e.Message, tt.want) {
			t.Errorf("%s: refused with %s %q, want %s %q", tt.source, e.Data.Kind, e.Message, tt.kind, tt.want)
		}
		if e := enginetest.Refused(h, h.ImportApply, protocol.ImportApplyParams{Plan: plan}); e.Data.Kind != tt.kind {
			t.Errorf("%s: was to be moved, and refused with %v", tt.source, e)
		}
	}
}
