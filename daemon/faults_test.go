package daemon_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestFaults_stopNoOther: servers that misbehave in every way that they can
// stand beside one that does not, which works all the time.
func TestFaults_stopNoOther(t *testing.T) {
	t.Parallel()
	all := servers{
		"good":    scripted(t, upstreamtest.Script{}),
		"dead":    scripted(t, upstreamtest.Script{ExitOn: "initialize", LastWords: "Error: API_KEY is not set"}),
		"mute":    scripted(t, upstreamtest.Script{Ignore: []string{"initialize", "server/discover"}}),
		"absent":  {Command: "/no/such/program"},
		"old":     scripted(t, upstreamtest.Script{Version: "2024-11-05"}),
		"chatty":  scripted(t, upstreamtest.Script{Before: []string{"Listening…", `{"stray":true}`}, Between: []string{"debug", `{"level":"info"}`}}),
		"flood":   scripted(t, upstreamtest.Script{FloodStderr: 1 << 20}),
		"twice":   scripted(t, upstreamtest.Script{Tools: []string{tool("same", "First."), tool("same", "Second.")}}),
		"endless": scripted(t, upstreamtest.Script{EndlessPages: true}),
		"restive": scripted(t, upstreamtest.Script{ChangeEvery: 10 * time.Millisecond}),
	}
	h := daemontest.Start(t, winnowd(t), daemontest.Options{Workspace: workspaceWith(t, all, nil)})
	h.Initialize(map[string]any{"searchTurns": 0})
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
	a := open(h, "echo")
	for _, name := range []string{"good", "old", "chatty", "flood", "restive"} {
		want := fmt.Sprintf(`{"text":%q}`, name)
		if got := call(h, a.Task, "mcp__"+name+"__echo", want); got != want {
			t.Errorf("%s answered %q", name, got)
		}
	}
	log := daemontest.Call[protocol.ServerLogResult](h, protocol.MethodServerLog, protocol.ServerParams{Name: "chatty"})
	if !strings.Contains(log.Text, "Listening…") {
		t.Errorf("the log of chatty is %q", log.Text)
	}
}
