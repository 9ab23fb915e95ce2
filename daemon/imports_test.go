package daemon_test

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
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
	h := daemontest.Run(t, daemontest.Options{Workspace: t.TempDir(), Home: t.TempDir()})
	file := filepath.Join(h.Options.Workspace, ".mcp.json")
	write(t, file, saved)
	h.Initialize(nil)

	list := func(documents ...protocol.TextDocument) []protocol.ImportFile {
		return daemontest.Call[protocol.ImportListResult](h, protocol.MethodImportList, protocol.ImportListParams{Documents: documents}).Files
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
	planned := daemontest.Call[protocol.ImportPlanResult](h, protocol.MethodImportPlan, plan)
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
	kept := daemontest.Call[protocol.ImportWillApplyResult](h, protocol.MethodImportWillApply,
		protocol.ImportWillApplyParams{Plan: plan, Settings: []protocol.ImportSetting{setting}})
	history := func() []protocol.ImportRecord {
		return daemontest.Call[protocol.ImportHistoryResult](h, protocol.MethodImportHistory, protocol.Empty{}).Imports
	}
	if got := history(); len(got) != 1 || got[0].Import != kept.Import || got[0].Source != uri || got[0].Settings[0] != setting {
		t.Errorf("the history has %+v", got)
	}
	undo := protocol.ImportUndoParams{Import: kept.Import, Source: document(uri, theirs), Target: document(target, own)}
	undone := daemontest.Call[protocol.ImportUndoResult](h, protocol.MethodImportUndo, undo)
	if got := applied(theirs, undone.Edits[0].Edits); got != unsaved || !undone.Edits[1].Delete || len(undone.Notes) > 0 {
		t.Errorf("undone %+v, which makes\n%s", undone, got)
	}
	daemontest.Call[protocol.Empty](h, protocol.MethodImportDidUndo, protocol.ImportDidUndoParams(kept))
	if e := h.Refused(protocol.MethodImportUndo, undo); e.Code != protocol.CodeInvalidParams || !strings.Contains(e.Message, "undone already") {
		t.Errorf("undone twice: %v", e)
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != saved {
		t.Errorf("the file on the disk is %q, %v", data, err)
	}
}

// TestImport_refused: what cannot be planned is told with the place.
func TestImport_refused(t *testing.T) {
	t.Parallel()
	h := daemontest.Run(t, daemontest.Options{Workspace: t.TempDir(), Home: t.TempDir()})
	h.Initialize(nil)
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
		e := h.Refused(protocol.MethodImportPlan, plan)
		if e.Data.Kind != tt.kind || !strings.Contains(e.Message, tt.want) {
			t.Errorf("%s: refused with %s %q, want %s %q", tt.source.URI, e.Data.Kind, e.Message, tt.kind, tt.want)
		}
		if e := h.Refused(protocol.MethodImportWillApply, protocol.ImportWillApplyParams{Plan: plan}); e.Data.Kind != tt.kind {
			t.Errorf("%s: was to be kept, and refused with %v", tt.source.URI, e)
		}
	}
}
