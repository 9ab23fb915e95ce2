package display

import (
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// TestImportNotes: every note is a sentence that names its server or its file.
func TestImportNotes(t *testing.T) {
	t.Parallel()
	name := func(path string) string { return strings.TrimPrefix(path, "/folder/") }
	var notes []protocol.ImportNote
	for _, kind := range []protocol.ImportNoteKind{
		protocol.NoteTaken, protocol.NoteUnusable, protocol.NoteMerged, protocol.NoteKeysLeftOut, protocol.NoteChangedSince, protocol.NoteThereAgain,
	} {
		notes = append(notes, protocol.ImportNote{
			Kind: kind, Server: "git hub", Keys: []string{"dev", "gallery"}, Problem: "no command", Path: "/folder/f.json",
		})
	}
	want := "“git hub” is in f.json already, and stays where it is. " +
		"“git hub” stays in f.json, as something is wrong there: no command. " +
		"“git hub” joins the rules for its tools that f.json has. " +
		"Of “git hub” this is left out, as Winnow has no such thing: dev, gallery. " +
		"f.json was changed since; only what was moved is taken out of it. " +
		"“git hub” is in f.json again, and stays as it is."
	if got := ImportNotes(notes, name); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := ImportNotes(nil, name); got != "" {
		t.Errorf("of no notes: %s", got)
	}
}

// TestImportServers: what becomes of a server is told, and why it stays.
func TestImportServers(t *testing.T) {
	t.Parallel()
	files := []protocol.ImportFile{{Servers: []protocol.ImportServer{
		{State: protocol.ImportNew},
		{State: protocol.ImportMerges},
		{State: protocol.ImportTaken},
		{State: protocol.ImportUnusable, Problem: "no command"},
	}}}
	ImportServers(files)
	for i, want := range []string{
		"", "joins the rules for its tools in winnow.json", "is in winnow.json already, and stays where it is", "stays where it is: no command",
	} {
		if got := files[0].Servers[i].Words; got != want {
			t.Errorf("%s: got %q, want %q", files[0].Servers[i].State, got, want)
		}
	}
}
