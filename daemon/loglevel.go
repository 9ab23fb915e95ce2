package daemon

import (
	"context"
	"log/slog"

	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/protocol"
)

var wireLogLevels = map[protocol.LogLevel]slog.Level{
	protocol.LogDebug:   slog.LevelDebug,
	protocol.LogInfo:    slog.LevelInfo,
	protocol.LogWarning: slog.LevelWarn,
	protocol.LogError:   slog.LevelError,
}

// setLogLevel answers logging/setLevel.
func (s *Server) setLogLevel(_ context.Context, p *protocol.SetLogLevelParams) (protocol.Empty, error) {
	level, ok := wireLogLevels[p.Level]
	if !ok {
		return protocol.Empty{}, failure.Invalid("level %q is none of debug, info, warn and error", p.Level)
	}
	if s.options.LogLevel != nil {
		s.options.LogLevel.Set(level)
	}
	return protocol.Empty{}, nil
}
