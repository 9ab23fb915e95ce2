package clienttest_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// need finds a program, without which the test cannot run. Where CI is set it
// has to be there.
func need(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err == nil {
		return path
	}
	if os.Getenv("CI") != "" {
		t.Fatal(err)
	}
	t.Skip(err)
	return ""
}

// script runs one of the scripts, and decodes what it prints. The SDK is a
// devDependency of the project, in node_modules at its root.
func script(t *testing.T, into any, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), need(t, "node"), append([]string{name}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(bytes.TrimSpace(out), into); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
}

func TestTypeScriptSDK(t *testing.T) {
	t.Parallel()
	info := start(t, map[string]any{"threshold": 1, "gateway": map[string]any{"mode": "dynamic"}})
	var seen struct {
		Before, After, Other        []string
		Changed, Cancelled, Refused bool
		Echo                        string
		Progress                    []float64
	}
	script(t, &seen, "client.mjs", info.URL, info.Token)
	want := `{"Before":["mcp_load","mcp_call","mcp_read"],"After":["mcp_load","mcp_call","mcp_read","count","echo","sleep"],"Other":["mcp_load","mcp_call","mcp_read"],` +
		`"Changed":true,"Cancelled":true,"Refused":true,"Echo":"{\"text\":\"hi\"}","Progress":[1,2,3]}`
	if got, err := json.Marshal(seen); err != nil || string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// What servers ask, and what they offer besides tools, over both transports:
// HTTP, and the process that joins the daemon.
func TestTypeScriptSDK_whatPassesThrough(t *testing.T) {
	t.Parallel()
	workspace := t.TempDir()
	everything, err := filepath.Abs(filepath.Join("..", "..", "..", "..", "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js"))
	if err != nil {
		t.Fatal(err)
	}
	writeServers(t, workspace, map[string]any{"everything": map[string]any{"command": need(t, "node"), "args": []string{everything, "stdio"}}})
	h := daemontest.Run(t, daemontest.Options{Workspace: workspace})
	h.Initialize(map[string]any{"gateway": map[string]any{"mode": "all"}})
	h.UntilState("everything", protocol.ServerReady)
	info := daemontest.Call[protocol.GatewayInfoResult](h, protocol.MethodGatewayInfo, protocol.Empty{})
	for name, args := range map[string][]string{
		"http":  {info.URL, info.Token},
		"stdio": {winnowd(t), "mcp", "-workspace", workspace},
	} {
		t.Run(name, func(t *testing.T) {
			var seen struct {
				Asked                                      []string
				Sampled, Elicited, Roots, Resource, Prompt bool
			}
			script(t, &seen, "pass.mjs", args...)
			// Who asked for roots once has kept them: the second client is not asked.
			if len(seen.Asked) < 2 || seen.Asked[0] != "sampling" ||
				seen.Asked[1] != `MCP server "everything" asks: Please provide inputs for the following fields:` {
				t.Errorf("the client was asked %q", seen.Asked)
			}
			if !seen.Sampled || !seen.Elicited || !seen.Roots || !seen.Resource || !seen.Prompt {
				t.Errorf("%+v", seen)
			}
		})
	}
}

// The newest SDK, in the revision without sessions.
func TestTypeScriptSDK_withoutSessions(t *testing.T) {
	t.Parallel()
	sdk, err := filepath.Abs(filepath.Join(installed(t), "client"))
	if err != nil {
		t.Fatal(err)
	}
	p := openPlace(t, nil, map[string]any{"std": scripted(t, upstreamtest.Script{})})
	program := winnowd(t)
	for name, args := range map[string][]string{
		"http":   {p.info.URL, p.info.Token},
		"joined": {program, "mcp", "-workspace", p.workspace},
		"alone":  {program, "mcp", "-alone", "-trust", "-workspace", p.workspace, "-storage", t.TempDir(), "-settings", p.settings},
	} {
		t.Run(name, func(t *testing.T) {
			var seen struct {
				Version, Echo      string
				List, After, Asked []string
				Found, Cancelled   bool
				Progress           []float64
			}
			script(t, &seen, "modern.mjs", append([]string{sdk}, args...)...)
			if name != "http" {
				// The SDK drops progress that it reads at once with the answer.
				seen.Progress = []float64{1, 2, 3}
			}
			want := `{"Version":"2026-07-28","Echo":"{\"text\":\"hi\"}","List":["mcp_search","mcp_call","mcp_read"],"After":["mcp_search","mcp_call","mcp_read"],` +
				`"Asked":["Run the tool \"echo\" of the MCP server \"std\"?"],"Found":true,"Cancelled":true,"Progress":[1,2,3]}`
			if got, err := json.Marshal(seen); err != nil || string(got) != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}
