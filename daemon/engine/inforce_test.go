package engine_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/protocol"
)

// toldInForce is a host that keeps the settings and the messages it is told.
type toldInForce struct {
	host.None

	mu       sync.Mutex
	settings []protocol.Settings
	messages []protocol.ShowMessageParams
}

func (h *toldInForce) SettingsInForce(p protocol.Settings) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.settings = append(h.settings, p)
}

func (h *toldInForce) ShowMessage(p protocol.ShowMessageParams) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.messages = append(h.messages, p)
}

// TestEngine_SettingsInForce: what the extension's own switches go by is decided
// by the daemon's rules: a workspace may only be stricter, and the message says in
// which line of which file it is.
func TestEngine_SettingsInForce(t *testing.T) {
	t.Parallel()
	const on, off = `{"gateway":{"inVSCode":true},"routedModels":{"copilot":true}}`, `{"gateway":{"inVSCode":false},"routedModels":{"copilot":false}}`
	for name, tt := range map[string]struct {
		user, workspace, own string
		want                 bool
		told                 int
	}{
		"nobody":                       {user: `{}`, workspace: `{}`},
		"the user":                     {user: on, workspace: `{}`, want: true},
		"the workspace alone":          {user: `{}`, workspace: on, told: 2},
		"the workspace is stricter":    {user: on, workspace: off, told: 2},
		"the workspace agrees":         {user: on, workspace: on, want: true},
		"the user's winnow.json":       {user: `{}`, workspace: `{}`, own: on, want: true},
		"the editor before that":       {user: off, workspace: `{}`, own: on},
		"a workspace against that too": {user: `{}`, workspace: off, own: on, told: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			file := filepath.Join(home, "settings.json")
			write := func(path, text string) {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write(file, "{\n  // the team's\n  \"winnow.gateway.inVSCode\": false,\n  \"winnow.routedModels.copilot\": false,\n}")
			if tt.own != "" {
				write(filepath.Join(home, "winnow.json"), `{"settings":`+tt.own+`}`)
			}
			user := &toldInForce{}
			e := engine.Open(engine.Options{Version: "test", Log: slog.New(slog.DiscardHandler)}, user, &protocol.InitializeParams{
				ProtocolVersion: protocol.Version, HomeDir: home, UserConfigDir: home, Trusted: true,
				Settings: json.RawMessage(tt.user), WorkspaceSettings: json.RawMessage(tt.workspace), WorkspaceSettingsFile: file,
			})
			t.Cleanup(func() {
				if err := e.Close(context.Background()); err != nil {
					t.Error(err)
				}
			})
			if len(user.settings) != 0 {
				t.Error("the host is told before it takes requests")
			}
			e.Start()
			user.mu.Lock()
			defer user.mu.Unlock()
			if len(user.settings) != 1 {
				t.Fatalf("told %d times", len(user.settings))
			}
			got := user.settings[0]
			if got.Gateway.InVSCode != tt.want || got.RoutedModels.Copilot != tt.want || len(user.messages) != tt.told {
				t.Errorf("inVSCode %t, copilot %t, want %t; told %+v", got.Gateway.InVSCode, got.RoutedModels.Copilot, tt.want, user.messages)
			}
			lines := map[string]int{"winnow.gateway.inVSCode": 3, "winnow.routedModels.copilot": 4}
			for _, m := range user.messages {
				if m.File != file || m.Line != lines[m.Setting] {
					t.Errorf("%s is said to be in line %d of %q: %s", m.Setting, m.Line, m.File, m.Message)
				}
			}
		})
	}
	t.Run("a change", func(t *testing.T) {
		t.Parallel()
		user := &toldInForce{}
		e := engine.Open(engine.Options{Version: "test", Log: slog.New(slog.DiscardHandler)}, user, &protocol.InitializeParams{ProtocolVersion: protocol.Version})
		e.Start()
		e.ChangeSettings(&protocol.DidChangeSettingsParams{Settings: json.RawMessage(on), WorkspaceSettings: json.RawMessage(`{}`)})
		e.ChangeSettings(&protocol.DidChangeSettingsParams{Settings: json.RawMessage(on), WorkspaceSettings: json.RawMessage(`{}`)})
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if len(user.settings) != 2 || !user.settings[1].Gateway.InVSCode {
			t.Errorf("told %d times", len(user.settings))
		}
	})
}
