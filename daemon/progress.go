package daemon

import (
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
)

// callProgress returns what forwards a call's progress; nil when the host did
// not ask for it.
func (s *Server) callProgress(token string) func(upstream.Progress) {
	if token == "" {
		return nil
	}
	return func(p upstream.Progress) {
		v := protocol.ProgressValue{Kind: protocol.ProgressReport, Message: p.Message}
		if p.Total > 0 {
			percentage := 100 * p.Progress / p.Total
			v.Percentage = &percentage
		}
		s.workspace.host.progress(token, v)
	}
}
