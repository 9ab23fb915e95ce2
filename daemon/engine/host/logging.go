package host

import (
	"context"
	"log/slog"

	"github.com/winnow-mcp/winnow/protocol"
)

// Logging is a host without a user that writes messages to the log.
type Logging struct {
	None

	Log *slog.Logger
}

// ShowMessage implements [Host].
func (h Logging) ShowMessage(p protocol.ShowMessageParams) {
	level := slog.LevelWarn
	if p.Type == protocol.MessageError {
		level = slog.LevelError
	}
	h.Log.Log(context.Background(), level, p.Message,
		"server", p.Server, "setting", p.Setting, "file", p.File, "line", p.Line, "next", p.Next)
}
