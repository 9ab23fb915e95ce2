package display

import (
	"fmt"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// importStates describes what happens to a server that could be moved. A new one has no
// text.
var importStates = map[protocol.ImportState]string{
	protocol.ImportMerges:   "joins the rules for its tools in winnow.json",
	protocol.ImportTaken:    "is in winnow.json already, and stays where it is",
	protocol.ImportUnusable: "stays where it is",
}

// ImportServers adds the texts of the servers that could be moved.
func ImportServers(files []protocol.ImportFile) {
	for _, f := range files {
		for i := range f.Servers {
			s := &f.Servers[i]
			s.Words = importStates[s.State]
			if s.Problem != "" {
				s.Words += ": " + s.Problem
			}
		}
	}
}

// ImportNotes describes the notes of a move or its undoing. name returns a file's display
// name.
func ImportNotes(notes []protocol.ImportNote, name func(path string) string) string {
	sentences := make([]string, len(notes))
	for i, n := range notes {
		sentences[i] = importNote(n, name(n.Path))
	}
	return strings.Join(sentences, " ")
}

func importNote(n protocol.ImportNote, file string) string {
	switch n.Kind {
	case protocol.NoteTaken:
		return fmt.Sprintf("“%s” is in %s already, and stays where it is.", n.Server, file)
	case protocol.NoteUnusable:
		return fmt.Sprintf("“%s” stays in %s, as something is wrong there: %s.", n.Server, file, n.Problem)
	case protocol.NoteMerged:
		return fmt.Sprintf("“%s” joins the rules for its tools that %s has.", n.Server, file)
	case protocol.NoteKeysLeftOut:
		return fmt.Sprintf("Of “%s” this is left out, as Winnow has no such thing: %s.", n.Server, strings.Join(n.Keys, ", "))
	case protocol.NoteChangedSince:
		return file + " was changed since; only what was moved is taken out of it."
	case protocol.NoteThereAgain:
		return fmt.Sprintf("“%s” is in %s again, and stays as it is.", n.Server, file)
	default:
		return string(n.Kind)
	}
}
