package daemon

import (
	"context"

	"github.com/winnow-mcp/winnow/protocol"
)

// didChangeSettings takes settings/didChange. They count from the next turn
// on.
func (s *Server) didChangeSettings(_ context.Context, p *protocol.DidChangeSettingsParams) error {
	s.workspace.changeSettings(p.Settings)
	return nil
}

// didChangeFolders takes workspace/didChangeFolders.
func (s *Server) didChangeFolders(_ context.Context, p *protocol.DidChangeFoldersParams) error {
	s.workspace.changeFolders(p.WorkspaceFolders)
	s.openDoors()
	return nil
}

// didGrantTrust takes workspace/didGrantTrust.
func (s *Server) didGrantTrust(context.Context, *protocol.Empty) error {
	s.workspace.grantTrust()
	return nil
}
