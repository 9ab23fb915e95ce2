package workspace_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestServers_faultsStopNoOther: servers that misbehave in every way that they can
// stand beside one that does not, which works all the time.
func TestServers_faultsStopNoOther(t *testing.T) {
	t.Parallel()
	all := configtest.Servers{
		"good":    configtest.Scripted(t, upstreamtest.Script{}),
		"dead":    configtest.Scripted(t, upstreamtest.Script{ExitOn: "initialize", LastWords: "Error: API_KEY is not set"}),
		"mute":    configtest.Scripted(t, upstreamtest.Script{Ignore: []string{"initialize", "server/discover"}}),
		"absent":  {Command: "/no/such/program"},
		"old":     configtest.Scripted(t, upstreamtest.Script{Version: "2024-11-05"}),
		"chatty":  configtest.Scripted(t, upstreamtest.Script{Before: []string{"Listening…", `{"stray":true}`}, Between: []string{"debug", `{"level":"info"}`}}),
		"flood":   configtest.Scripted(t, upstreamtest.Script{FloodStderr: 1 << 20}),
		"twice":   configtest.Scripted(t, upstreamtest.Script{Tools: []string{configtest.Tool("same", "First."), configtest.Tool("same", "Second.")}}),
		"endless": configtest.Scripted(t, upstreamtest.Script{EndlessPages: true}),
		"restive": configtest.Scripted(t, upstreamtest.Script{ChangeEvery: 10 * time.Millisecond}),
	}
	h := enginetest.Start(t, enginetest.Options{Workspace: configtest.WorkspaceWith(t, all, nil)}, map[string]any{"searchTurns": 0})
	for _, name := range []string{"good", "old", "chatty", "flood", "twice", "restive"} {
		h.UntilState(name, protocol.ServerReady)
	}
	for name, cause := range map[string]string{"dead": "API_KEY is not set", "absent": "/no/such/program"} {
		if s := h.UntilState(name, protocol.ServerFailed); !strings.Contains(s.Error, cause) {
			t.Errorf("%s failed with %q, want %q", name, s.Error, cause)
		}
	}
	if s, _ := h.Server("twice"); s.Tools != 1 || len(s.Warnings) == 0 {
		t.Errorf("a name listed twice: %+v", s)
	}
	h.Until("the cap on endless pages", func() bool {
		s, _ := h.Server("endless")
		return s.Tools > 0 && len(s.Warnings) > 0 || s.State == protocol.ServerFailed && s.Error != ""
	})
	if s, _ := h.Server("old"); s.ProtocolVersion != "2024-11-05" {
		t.Errorf("the old server speaks %q", s.ProtocolVersion)
	}
	a := h.Open("echo")
	for _, name := range []string{"good", "old", "chatty", "flood", "restive"} {
		want := fmt.Sprintf(`{"text":%q}`, name)
		if got := h.CallText(a.Task, "mcp__"+name+"__echo", want); got != want {
			t.Errorf("%s answered %q", name, got)
		}
	}
	log := enginetest.Call(h, h.ServerLog, protocol.ServerParams{Name: "chatty"})
	if !strings.Contains(log.Text, "Listening…") {
		t.Errorf("the log of chatty is %q", log.Text)
	}
}
