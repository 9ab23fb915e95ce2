package debuglog_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/debuglog"
)

func TestNew(t *testing.T) {
	t.Parallel()
	hide := func(text string) string { return strings.ReplaceAll(text, "s3cret", "…") }
	for name, tt := range map[string]struct {
		level  slog.Level
		redact func(string) string
		want   string
	}{
		"above debug level nothing is logged": {slog.LevelInfo, nil, ""},
		"as it is":                            {slog.LevelDebug, nil, "level=DEBUG msg=\"a s3cret\" url=s3cret\n"},
		"without secrets":                     {slog.LevelDebug, hide, "level=DEBUG msg=\"a …\" url=…\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			noTime := func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					return slog.Attr{}
				}
				return a
			}
			log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: tt.level, ReplaceAttr: noTime}))
			debuglog.New(log, tt.redact).Error("a s3cret", "url", "s3cret")
			if got := out.String(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
