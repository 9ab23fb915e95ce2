package workspace_test

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/protocol"
)

// applied returns a text after edits; the lines of the test's texts are ASCII.
func applied(text string, edits []protocol.TextEdit) string {
	lines := strings.SplitAfter(text, "\n")
	offset := func(p protocol.Position) int { return len(strings.Join(lines[:p.Line], "")) + p.Character }
	for _, e := range slices.Backward(edits) {
		text = text[:offset(e.Range.Start)] + e.NewText + text[offset(e.Range.End):]
	}
	return text
}

// document is a file's text as an editor has it.
func document(uri, text string) protocol.TextDocument {
	return protocol.TextDocument{URI: uri, Text: &text}
}

// TestImport: the servers of a file that is not saved yet are listed, move as
// edits of both texts, and come back by edits, once. Nothing is written but the
// record.
func TestImport(t *testing.T) {
	t.Parallel()
	const saved = "{\n  \"mcpServers\": {\n    \"a\": { \"command\": \"x\" }\n  }\n}\n"
	unsaved := strings.Replace(saved, "\n  }", ",\n    \"b b\": { \"command\": \"y\" } // new\n  }", 1)
	workspace := t.TempDir()
	file := filepath.Join(workspace, ".mcp.json")
	configtest.Write(t, file, saved)
	h := enginetest.Start(t, enginetest.Options{Workspace: workspace}, nil)

	list := func(documents ...protocol.TextDocument) []protocol.ImportFile {
		return enginetest.Call(h, h.ImportList, protocol.ImportListParams{Documents: documents}).Files
	}
	onDisk := list()
	if len(onDisk) != 1 || onDisk[0].Client != "Claude Code" || len(onDisk[0].Servers) != 1 {
		t.Fatalf("on the disk there is %+v", onDisk)
	}
	uri, target := onDisk[0].URI, onDisk[0].Target
	if path, err := url.Parse(uri); err != nil || !strings.HasSuffix(path.Path, "/.mcp.json") {
		t.Errorf("the file's URI is %s, %v", uri, err)
	}
	if got := list(document(uri, unsaved)); len(got) != 1 || len(got[0].Servers) != 2 || got[0].Servers[1].Name != "b b" {
		t.Errorf("of the unsaved text is listed %+v", got)
	}

	plan := protocol.ImportPlanParams{Source: document(uri, unsaved), Target: protocol.TextDocument{URI: target}, Servers: []string{"b b"}}
	planned := enginetest.Call(h, h.ImportPlan, plan)
	if len(planned.Edits) != 2 || planned.Edits[0].URI != target || !planned.Edits[0].Create || planned.Edits[1].Create {
		t.Fatalf("planned %+v", planned)
	}
	own, theirs := applied("", planned.Edits[0].Edits), applied(unsaved, planned.Edits[1].Edits)
	if want := "{\n  \"servers\": {\n    \"b b\": { \"command\": \"y\" } // new\n  }\n}\n"; own != want {
		t.Errorf("Winnow's file would be\n%s\nwant\n%s", own, want)
	}
	if theirs != saved {
		t.Errorf("Claude Code's file would be\n%s\nwant\n%s", theirs, saved)
	}

	setting := protocol.ImportSetting{Name: "gateway.inVSCode", After: true}
	kept := enginetest.Call(h, h.ImportWillApply,
		protocol.ImportWillApplyParams{Plan: plan, Settings: []protocol.ImportSetting{setting}})
	history := func() []protocol.ImportRecord {
		t.Helper()
		r, err := h.Engine.Imports.History()
		if err != nil {
			t.Error(err)
		}
		return r.Imports
	}
	if got := history(); len(got) != 1 || got[0].Import != kept.Import || got[0].Source != uri || got[0].Settings[0] != setting {
		t.Errorf("the history has %+v", got)
	}
	undo := protocol.ImportUndoParams{Import: kept.Import, Source: document(uri, theirs), Target: document(target, own)}
	undone := enginetest.Call(h, h.ImportUndo, undo)
	if got := applied(theirs, undone.Edits[0].Edits); got != unsaved || !undone.Edits[1].Delete || len(undone.Notes) > 0 {
		t.Errorf("undone %+v, which makes\n%s", undone, got)
	}
	enginetest.Call(h, h.ImportDidUndo, protocol.ImportDidUndoParams(kept))
	if e := enginetest.Refused(h, h.ImportUndo, undo); e.Data.Kind != protocol.KindInvalidParams || !strings.Contains(e.Message, "undone already") {
		t.Errorf("undone twice: %v", e)
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != saved {
		t.Errorf("the file on the disk is %q, %v", data, err)
	}
}

// TestImport_refused: what cannot be planned is told with the place.
func TestImport_refused(t *testing.T) {
	t.Parallel()
	h := enginetest.Start(t, enginetest.Options{Workspace: t.TempDir(), Home: t.TempDir()}, nil)
	folder := (&url.URL{Scheme: "file", Path: filepath.ToSlash(h.Options.Workspace)}).String()
	own := protocol.TextDocument{URI: folder + "/.vscode/winnow.json"}
	for _, tt := range []struct {
		source protocol.TextDocument
		kind   protocol.ErrorKind
		want   string
	}{
		{document(folder+"/elsewhere.json", "{}"), protocol.KindInvalidParams, "import/list says which can"},
		{document("vscode-vfs://github/x/.mcp.json", "{}"), protocol.KindInvalidParams, "not a file: URI"},
		{protocol.TextDocument{URI: folder + "/.mcp.json"}, protocol.KindInvalidParams, "import/list says which can"},
		{document(folder+"/.mcp.json", "{\n  broken"), protocol.KindEdit, ".mcp.json:2:3: invalid JSON"},
	} {
		plan := protocol.ImportPlanParams{Source: tt.source, Target: own, Servers: []string{"a"}}
		e := enginetest.Refused(h, h.ImportPlan, plan)
		if e.Data.Kind != tt.kind || !strings.Contains(e.Message, tt.want) {
			t.Errorf("%s: refused with %s %q, want %s %q", tt.source.URI, e.Data.Kind, e.Message, tt.kind, tt.want)
		}
		if e := enginetest.Refused(h, h.ImportWillApply, protocol.ImportWillApplyParams{Plan: plan}); e.Data.Kind != tt.kind {
			t.Errorf("%s: was to be kept, and refused with %v", tt.source.URI, e)
		}
	}
}
