package daemon

import (
	"context"

	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/protocol"
)

// modeList answers mode/list.
func (s *Server) modeList(context.Context, *protocol.Empty) (protocol.ModeListResult, error) {
	state := s.workspace.state()
	result := protocol.ModeListResult{Current: s.workspace.currentMode()}
	for _, m := range state.config.Modes {
		info := protocol.ModeInfo{
			Slug: m.Slug, Name: m.Name, Description: m.Description,
			File: m.Origin.Source.Path, Line: m.Origin.Line,
			AllowedMcpServers: m.Allowed, BlockedMcpServers: m.Blocked,
		}
		if m.NoTools {
			none := []string{}
			info.AllowedMcpServers = &none
		}
		result.Modes = append(result.Modes, info)
	}
	return result, nil
}

// modeSet answers mode/set.
func (s *Server) modeSet(_ context.Context, p *protocol.ModeSetParams) (protocol.Empty, error) {
	return protocol.Empty{}, s.workspace.setMode(p.Mode)
}

// modeSetServerBlocked answers mode/setServerBlocked.
func (s *Server) modeSetServerBlocked(ctx context.Context, p *protocol.ModeSetServerBlockedParams) (protocol.EditResult, error) {
	// The name of no server at all would stand in the file unnoticed.
	if _, err := s.workspace.editable(p.Server); err != nil {
		return protocol.EditResult{}, err
	}
	mode, ok := s.workspace.state().config.Mode(p.Mode)
	if !ok {
		return protocol.EditResult{}, unknownMode(p.Mode)
	}
	edit, err := config.SetServerBlocked(mode, p.Server, p.Blocked)
	if err != nil {
		return protocol.EditResult{}, editFailure(p.Server, mode.Origin.Source.Path, err)
	}
	return s.workspace.write(ctx, p.Server, edit)
}
