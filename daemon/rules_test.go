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
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

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

// sentTools are what a model is sent, by the tools' own names: the descriptions.
type sentTools map[string]string

func (s sentTools) add(name, description string) {
	s[strings.TrimPrefix(strings.TrimPrefix(name, "mcp_notes_"), "notes_")] = description
}

// sentBy asks each face what its model is sent in the first request of a task: the host's servers in a routed twin, Winnow's own for the
// participant and the gateway, and the client's own for the proxy.
func sentBy() map[string]func(o *ruled, t *testing.T) sentTools {
	return map[string]func(o *ruled, t *testing.T) sentTools{
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
	// files is what the user and the workspace have on disk, in place of servers and
	// modes.
	files *ruleFiles
}

func (o *ruled) host(t *testing.T) *daemontest.Host {
	t.Helper()
	if o.files != nil {
		return o.files.host(t, o.settings)
	}
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

func attached(a *protocol.Attachment) sentTools {
	own := sentTools{}
	for _, tool := range a.Tools {
		own.add(tool.Tool, tool.Description)
	}
	return own
}

func (o *ruled) twin(t *testing.T) sentTools {
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

func (o *ruled) participant(t *testing.T) sentTools {
	a := open(o.host(t), "danger safe calm still")
	return attached(&a)
}

func (o *ruled) gateway(t *testing.T) sentTools {
	listed, err := gatewaytest.Connect(t, gatewaytest.InfoOf(o.host(t)), "test").ListTools(t.Context(), mcp.ListToolsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	own := sentTools{}
	for _, tool := range listed.Tools {
		own.add(tool.Name, tool.Description)
	}
	return own
}

func (o *ruled) proxy(t *testing.T) sentTools {
	sent := make(chan sentTools, 1)
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Tools []struct {
				Function struct{ Name, Description string }
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		own := sentTools{}
		for _, tool := range body.Tools {
			own.add(tool.Function.Name, tool.Function.Description)
		}
		sent <- own
		_, _ = io.WriteString(w, `{}`)
	}))
	t.Cleanup(provider.Close)
	endpoints := map[string]any{"test": map[string]any{"url": provider.URL}}
	var initialize protocol.InitializeParams
	if o.files != nil {
		o.files.users["endpoints"] = endpoints
		o.files.agree(t)
		initialize = o.files.initialize(t, o.settings)
	} else {
		home := t.TempDir()
		initialize = protocol.InitializeParams{
			ProtocolVersion: protocol.Version, StoragePath: filepath.Join(home, "kept"), UserConfigDir: filepath.Join(home, "winnow"), HomeDir: home,
			Settings: raw(t, o.settings),
		}
		write(t, filepath.Join(initialize.UserConfigDir, "winnow.json"),
			string(raw(t, map[string]any{"servers": o.servers, "modes": o.modes, "endpoints": endpoints})))
	}
	listener, err := proxy.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a := proxy.Alone{Listener: listener, Initialize: initialize}
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
					if _, sent := got["danger"]; sent {
						t.Errorf("%q are sent, with the tool that %s forbids", got, rule)
					}
					dispatches := choosing == "search and call" && (face == "twin" || face == "participant")
					if _, safe := got["safe"]; safe != (f.wholeTool && !dispatches) {
						t.Errorf("%q are sent; is the other tool among them? want %t", got, !safe)
					}
				})
			}
		}
	}
}
