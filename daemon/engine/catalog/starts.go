package catalog

import (
	"slices"

	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
)

// UnknownServers names the servers that are about to be ready for the first time, so
// their tools are not known yet.
func (q *Queries) UnknownServers() []string {
	var names []string
	for _, s := range q.Known().Servers {
		// A server with known capabilities and no tools is known to have none.
		if len(s.Tools)+len(s.Capabilities) == 0 && q.aboutToBeReady(s) {
			names = append(names, s.Name)
		}
	}
	return names
}

// Starting reports whether a server is about to be ready, as of the newest catalogue.
func (q *Queries) Starting() bool { return slices.ContainsFunc(q.Known().Servers, q.aboutToBeReady) }

// aboutToBeReady reports whether a server is starting, or will as soon as the session has
// begun.
func (q *Queries) aboutToBeReady(s upstream.ServerSnapshot) bool {
	hold := holdOf(q.Configuration(), s).Kind
	return s.Status.State == upstream.Starting ||
		s.Status.State == upstream.Configured && (hold == "" || hold == string(protocol.CauseStart))
}
