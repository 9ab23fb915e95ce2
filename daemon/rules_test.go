package daemon_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/daemontest/gatewaytest"
	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/faces/proxy"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// forbidding is a rule of the user's files that keeps the tool danger of the
// server notes from every model.
type forbidding struct {
	server    entry
	mode      *protocol.ModeEntry
	wholeTool bool // only that tool; else the whole server
}

func forbiddings() map[string]forbidding {
	switchedOff := true
	return map[string]forbidding{
		"disabledTools":     {server: entry{DisabledTools: []string{"danger"}}, wholeTool: true},
		"onlyAllow":         {server: entry{OnlyAllow: []string{"safe", "calm", "still"}}, wholeTool: true},
		"disabled":          {server: entry{Disabled: &switchedOff}},
		"blockedMcpServers": {mode: &protocol.ModeEntry{BlockedMcpServers: []string{"notes"}}},
	}
}

// sentBy asks each face what its model is sent in the first request of a task, by
// the tools' own names: the host's servers in a routed twin, Winnow's own for the
// participant and the gateway, and the client's own for the proxy.
func sentBy() map[string]func(o *ruled, t *testing.T) []string {
	return map[string]func(o *ruled, t *testing.T) []string{
		"twin":        (*ruled).twin,
		"participant": (*ruled).participant,
		"gateway":     (*ruled).gateway,
		"proxy":       (*ruled).proxy,
	}
}

// ruled is a user's configuration.
type ruled struct {
	servers  servers
	modes    modes
	settings map[string]any
}

func (o *ruled) host(t *testing.T) *daemontest.Host {
	t.Helper()
	all := servers{"notes": scripted(t, upstreamtest.Script{Tools: []string{
		tool("danger", "Deletes every note."), tool("safe", "Reads a note."), tool("calm", "Counts notes."), tool("still", "Lists notes."),
	}})}
	e := all["notes"]
	e.DisabledTools, e.OnlyAllow, e.Disabled = o.servers["notes"].DisabledTools, o.servers["notes"].OnlyAllow, o.servers["notes"].Disabled
	all["notes"] = e
	h := daemontest.Run(t, daemontest.Options{Workspace: workspaceWith(t, all, o.modes)})
	h.Initialize(o.settings)
	if e.Disabled == nil {
		h.UntilReady(all)
	}
	if o.modes != nil {
		daemontest.Call[protocol.Empty](h, protocol.MethodModeSet, protocol.ModeSetParams{Mode: "quiet"})
	}
	return h
}

func attached(a *protocol.Attachment) []string {
	var own []string
	for _, tool := range a.Tools {
		own = append(own, strings.TrimPrefix(tool.Tool, "mcp_notes_"))
	}
	return own
}

func (o *ruled) twin(t *testing.T) []string {
	h := o.host(t)
	var tools []protocol.HostTool
	for _, name := range []string{"danger", "safe", "calm", "still"} {
		tools = append(tools, protocol.HostTool{Server: "notes", Name: "mcp_notes_" + name, Tool: name, Description: "Does it.", InputSchema: json.RawMessage(`{"type":"object"}`)})
	}
	daemontest.Call[protocol.SetHostToolsResult](h, protocol.MethodSetHostTools, protocol.SetHostToolsParams{Source: "vscode:1", Tools: tools})
	routed := daemontest.Call[protocol.ConversationRouteResult](h, protocol.MethodConversationRoute, protocol.ConversationRouteParams{
		Source: "vscode:1", Messages: []protocol.MessageDigest{{Role: "user", Digest: "1"}}, Message: "danger safe calm still",
	})
	return attached(&routed.Attachment)
}

func (o *ruled) participant(t *testing.T) []string {
	a := open(o.host(t), "danger safe calm still")
	return attached(&a)
}

func (o *ruled) gateway(t *testing.T) []string {
	return gatewaytest.List(t, gatewaytest.Connect(t, gatewaytest.InfoOf(o.host(t)), "test"))
}

func (o *ruled) proxy(t *testing.T) []string {
	sent := make(chan []string, 1)
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Tools []struct{ Function struct{ Name string } }
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		var own []string
		for _, tool := range body.Tools {
			own = append(own, strings.TrimPrefix(tool.Function.Name, "mcp_notes_"))
		}
		sent <- own
		_, _ = io.WriteString(w, `{}`)
	}))
	t.Cleanup(provider.Close)
	home := t.TempDir()
	configuration := filepath.Join(home, "winnow")
	file, err := json.Marshal(map[string]any{
		"servers": o.servers, "modes": o.modes, "endpoints": map[string]any{"test": map[string]any{"url": provider.URL}},
	})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(configuration, "winnow.json"), string(file))
	settings, err := json.Marshal(o.settings)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := proxy.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a := proxy.Alone{Listener: listener, Initialize: protocol.InitializeParams{
		ProtocolVersion: protocol.Version, StoragePath: filepath.Join(home, "kept"), UserConfigDir: configuration, HomeDir: home, Settings: settings,
	}}
	if o.modes != nil {
		a.Initialize.Mode = "quiet"
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	log := slog.New(slog.DiscardHandler)
	go func() {
		ended <- proxy.ServeAlone(ctx, engine.Options{Version: "test", Log: log}, log, time.Minute, a)
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	var tools []string
	for _, name := range []string{"danger", "safe", "calm", "still"} {
		tools = append(tools, fmt.Sprintf(`{"type":"function","function":{"name":"mcp_notes_%s","description":"Does it.","parameters":{"type":"object"}}}`, name))
	}
	resp, err := http.Post("http://"+listener.Addr().String()+"/to/test/chat/completions", "application/json",
		strings.NewReader(`{"messages":[{"role":"user","content":"danger safe calm still"}],"tools":[`+strings.Join(tools, ",")+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("the proxy answers %s", resp.Status)
	}
	return <-sent
}

// What a rule of the user's keeps out of scope is sent by no face in any mode of
// choosing, also where there is nothing to choose.
func TestRules_neverSent(t *testing.T) {
	t.Parallel()
	for choosing, settings := range map[string]map[string]any{
		"few tools":       {},
		"searchTurns 0":   {"searchTurns": 0},
		"enabled false":   {"enabled": false},
		"only watched":    {"shadow": true},
		"chosen":          {"threshold": 1},
		"chosen by topK":  {"threshold": 1, "strategy": "topK"},
		"search and call": {"threshold": 1, "strategy": "dispatch"},
	} {
		for rule, f := range forbiddings() {
			for face, sent := range sentBy() {
				t.Run(strings.Join([]string{choosing, rule, face}, "/"), func(t *testing.T) {
					t.Parallel()
					o := &ruled{servers: servers{"notes": f.server}, settings: map[string]any{"gateway": map[string]any{"mode": "all"}}}
					for key, value := range settings {
						o.settings[key] = value
					}
					if f.mode != nil {
						o.modes = modes{"quiet": *f.mode}
					}
					got := sent(o, t)
					if slices.Contains(got, "danger") {
						t.Errorf("%q are sent, with the tool that %s forbids", got, rule)
					}
					dispatches := choosing == "search and call" && (face == "twin" || face == "participant")
					if wants := f.wholeTool && !dispatches; slices.Contains(got, "safe") != wants {
						t.Errorf("%q are sent; is the other tool among them? want %t", got, wants)
					}
				})
			}
		}
	}
}
