package daemon

import (
	"context"

	"github.com/winnow-mcp/winnow/protocol"
)

// modeList answers mode/list.
func (s *Server) modeList(context.Context, *protocol.Empty) (protocol.ModeListResult, error) {
	state := s.workspace.state()
	result := protocol.ModeListResult{Current: s.workspace.currentMode()}
	for _, m := range state.config.Modes {
		info := protocol.ModeInfo{
			Slug: m.Slug, Name: m.Name, Description: m.Description, File: m.Origin.Source.Path,
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
