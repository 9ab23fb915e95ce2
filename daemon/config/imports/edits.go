package imports

import (
	"github.com/winnow-mcp/winnow/daemon/config/jsonc"
	"github.com/winnow-mcp/winnow/protocol"
)

// Edit is the change as an editor applies it to the file of a URI.
func (c Change) Edit(uri string) protocol.DocumentEdit {
	edit := protocol.DocumentEdit{URI: uri, Edits: []protocol.TextEdit{}, Create: c.Before == nil && c.After != nil}
	if c.After == nil {
		edit.Delete = c.Before != nil
		return edit
	}
	for _, e := range jsonc.Edits(textOf(c.Before), *c.After) {
		edit.Edits = append(edit.Edits, protocol.TextEdit{
			Range: protocol.Range{Start: position(e.Start), End: position(e.End)}, NewText: e.New,
		})
	}
	return edit
}

// position counts from 0, as editors do.
func position(p jsonc.Position) protocol.Position {
	return protocol.Position{Line: p.Line - 1, Character: p.Column - 1}
}
