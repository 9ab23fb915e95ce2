package daemon

import (
	"context"
	"slices"
	"strings"

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

// modeOfAgent returns the slug of the mode that a host's agent stands for: that
// of its slug or else of its name; empty where there is none.
func (w *workspace) modeOfAgent(agent string) string {
	if agent == "" {
		return ""
	}
	modes := w.state().config.Modes
	i := slices.IndexFunc(modes, func(m config.Mode) bool { return strings.EqualFold(m.Slug, agent) })
	if i < 0 {
		i = slices.IndexFunc(modes, func(m config.Mode) bool { return strings.EqualFold(m.Name, agent) })
	}
	if i < 0 {
		return ""
	}
	return modes[i].Slug
}
