package daemon

import (
	"context"
	"errors"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// learnedClear answers learned/clear: it forgets which tools were used lately
// and which had to be loaded, at once and on disk. Open tasks keep their tools.
func (s *Server) learnedClear(context.Context, *protocol.Empty) (protocol.Empty, error) {
	w := s.workspace
	return protocol.Empty{}, errors.Join(w.usage.clear(), w.misses.clear())
}

// learn notes that a task's message should have brought these tools, where the
// user lets Winnow learn.
func (w *workspace) learn(t *router.Task, ids []router.ToolID) {
	if w.settings.Load().Learn.Loads {
		w.misses.record(t.Message, ids)
	}
}
