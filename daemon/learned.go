package daemon

import (
	"context"
	"errors"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// learnedClear answers learned/clear: it forgets which tools were used lately
// and which had to be loaded, what MCP clients were seen to do, and deletes what is kept of servers, tools and
// results. Open tasks keep their tools, and what is in memory stays there until
// the daemon ends; it is not written again.
func (s *Server) learnedClear(context.Context, *protocol.Empty) (protocol.Empty, error) {
	w := s.workspace
	errs := []error{
		w.usage.Clear(), w.misses.Clear(), w.clients.Clear(), w.catalogs.tokens.Clear(),
		w.manager.ClearManifests(), w.embeddings.store.ClearCache(),
	}
	if w.kept != nil {
		errs = append(errs, w.kept.Clear())
	}
	return protocol.Empty{}, errors.Join(errs...)
}

// learn notes that a task's message should have brought these tools, where the
// user lets Winnow learn.
func (w *workspace) learn(t *router.Task, ids []router.ToolID) {
	if w.settings.Load().Learn.Loads {
		w.misses.Record(t.Message, ids)
	}
}
