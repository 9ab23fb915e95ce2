package editor

import (
	"context"
	"log/slog"

	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/rpc"
	"github.com/winnow-mcp/winnow/protocol"
)

// sessionRoutes returns the routes by which a host changes the session's settings,
// folders and data.
func sessionRoutes(e *parts, g Gateway, level *slog.LevelVar) map[string]rpc.Route {
	return map[string]rpc.Route{
		protocol.MethodDidChangeSettings: rpc.Notification(func(_ context.Context, p *protocol.DidChangeSettingsParams) error {
			e.Engine.ChangeSettings(p)
			return nil
		}),
		protocol.MethodDidChangeFolders: rpc.Notification(func(_ context.Context, p *protocol.DidChangeFoldersParams) error {
			e.Engine.ChangeFolders(p)
			g.FollowFolders()
			return nil
		}),
		protocol.MethodDidGrantTrust: rpc.Notification(func(context.Context, *protocol.Empty) error {
			e.Engine.GrantTrust()
			return nil
		}),
		protocol.MethodSetLogLevel:  rpc.Sync(done(func(_ context.Context, p *protocol.SetLogLevelParams) error { return setLogLevel(level, p.Level) })),
		protocol.MethodSavingsReset: rpc.Async(done(func(context.Context, *protocol.Empty) error { return e.Savings.Clear() })),
		protocol.MethodLearnedClear: rpc.Async(done(func(context.Context, *protocol.Empty) error { return e.Engine.ClearLearned() })),
		protocol.MethodGatewayInfo: rpc.Async(func(context.Context, *protocol.Empty) (protocol.GatewayInfoResult, error) {
			return gatewayInfo(g, e.Catalog.List)
		}),
	}
}

// setLogLevel sets the lowest logged level. A nil level is not changed.
func setLogLevel(level *slog.LevelVar, to protocol.LogLevel) error {
	found, ok := map[protocol.LogLevel]slog.Level{
		protocol.LogDebug:   slog.LevelDebug,
		protocol.LogInfo:    slog.LevelInfo,
		protocol.LogWarning: slog.LevelWarn,
		protocol.LogError:   slog.LevelError,
	}[to]
	if !ok {
		return failure.Invalid("level %q is none of debug, info, warn and error", to)
	}
	if level != nil {
		level.Set(found)
	}
	return nil
}
