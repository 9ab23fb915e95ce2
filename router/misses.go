package router

import (
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/ranker"
)

// Fetched returns the tools that the model fetched by itself for the task's
// latest message, by mcp_load or by calling them unasked, and that it has
// called: the message should have brought them.
func (t *Task) Fetched() []ToolID {
	if t.Routing != protocol.AttachDynamic {
		return nil
	}
	var found []ToolID
	for i := range t.Attached {
		a := &t.Attached[i]
		fetched := a.Reason == protocol.ReasonLoaded || a.Reason == protocol.ReasonEarlyCall
		if fetched && a.Turn == t.Turn && slices.Contains(t.Called, a.ID) {
			found = append(found, a.ID)
		}
	}
	return found
}

// Miss says that a message should have brought a tool. words are the prints
// of the message.
func Miss(id ToolID, words []uint32) ranker.Miss {
	return ranker.Miss{ID: id.key(), Words: words}
}
