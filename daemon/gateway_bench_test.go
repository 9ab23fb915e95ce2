//go:build unix

package daemon_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router/tokens"
)

// catalogFolder is a folder of captured servers, one JSON file each with their
// `tools`, to measure besides the other catalogues:
//
//	go test ./daemon -run '^$' -bench GatewayTokens -catalog dir
var catalogFolder = flag.String("catalog", "", "a `folder` of captured servers for BenchmarkGatewayTokens")

// maxCaptured is how many servers run at once; each is a process.
const maxCaptured = 60

// captured are the servers of a folder, or as many of them, evenly spread.
func captured(b *testing.B, dir string) servers {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		b.Fatalf("no servers in %s: %v", dir, err)
	}
	all := servers{}
	step := (len(files) + maxCaptured - 1) / maxCaptured
	for i := 0; i < len(files); i += step {
		file := files[i]
		raw, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		var capture struct {
			Tools []json.RawMessage `json:"tools"`
		}
		if err := json.Unmarshal(raw, &capture); err != nil {
			b.Fatalf("%s: %v", file, err)
		}
		var tools []string
		for _, t := range capture.Tools {
			tools = append(tools, string(t))
		}
		if len(tools) > 0 {
			all[strings.TrimSuffix(filepath.Base(file), ".json")] = scriptedByFile(b, upstreamtest.Script{Tools: tools})
		}
	}
	if len(all) == 0 {
		b.Fatalf("no file of %s lists any tools", dir)
	}
	return all
}

// wireTokens counts the tokens of the list of tools as a client receives it.
func wireTokens(b *testing.B, counter *tokens.Counter, info protocol.GatewayInfoResult, id string) (cost, tools int) {
	body := post(b, info, id, `{"jsonrpc":"2.0","id":9,"method":"tools/list"}`)
	if !strings.HasPrefix(body, "{") { // a stream of events
		_, body, _ = strings.Cut(body, "data: ")
		body, _, _ = strings.Cut(body, "\n")
	}
	var wire struct {
		Result struct {
			Tools []json.RawMessage `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(body), &wire); err != nil {
		b.Fatalf("%v: %.200s", err, body)
	}
	raw, err := json.Marshal(wire.Result.Tools)
	if err != nil {
		b.Fatal(err)
	}
	return counter.Count(string(raw)), len(wire.Result.Tools)
}

// BenchmarkGatewayTokens tells what the list of tools costs a client: all of
// it, after a task has loaded what it needs, and by search and call. The times
// mean nothing.
func BenchmarkGatewayTokens(b *testing.B) {
	counter := tokens.New()
	catalogs := map[string]func(*testing.B) servers{
		"1-tool": func(b *testing.B) servers {
			return servers{"one": scripted(b, upstreamtest.Script{Tools: upstreamtest.StandardTools()[:1]})}
		},
		"npm-start":  func(b *testing.B) servers { return npmServers(b, b.TempDir()) },
		"1000-tools": benchServers,
	}
	if *catalogFolder != "" {
		catalogs["catalog"] = func(b *testing.B) servers { return captured(b, *catalogFolder) }
	}
	for name, of := range catalogs {
		for _, mode := range []protocol.GatewayMode{protocol.GatewayAll, protocol.GatewayDynamic, protocol.GatewayDispatch} {
			b.Run(fmt.Sprintf("%s/%s", name, mode), func(b *testing.B) {
				s := of(b)
				h := begin(b, map[string]any{"gateway": map[string]any{"mode": mode}}, s, nil)
				h.UntilReady(s)
				info := gatewayOf(h)
				for b.Loop() {
					id := session(b, info)
					if mode == protocol.GatewayDynamic {
						post(b, info, id, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"mcp_load","arguments":{"query":"create a ticket for the broken dashboard"}}}`)
					}
					cost, tools := wireTokens(b, counter, info, id)
					b.ReportMetric(float64(cost), "tokens")
					b.ReportMetric(float64(tools), "tools")
				}
			})
		}
	}
}

// median returns the median of times in microseconds.
func median(times []time.Duration) float64 {
	slices.Sort(times)
	return float64(times[len(times)/2].Nanoseconds()) / 1000
}

// BenchmarkCallOverhead makes the same call directly, by a host, by a client of
// the gateway over HTTP, and by one over a process that has joined, in turns.
func BenchmarkCallOverhead(b *testing.B) {
	command, args, env := upstreamtest.Program(b, upstreamtest.Script{})
	var environment []string
	for name, value := range env {
		environment = append(environment, name+"="+value)
	}
	direct, err := client.NewStdioMCPClient(command, environment, args...)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = direct.Close() }()
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = "2025-11-25"
	if _, err := direct.Initialize(b.Context(), hello); err != nil {
		b.Fatal(err)
	}
	s := servers{"std": scripted(b, upstreamtest.Script{})}
	h := daemontest.Start(b, winnowd(b), daemontest.Options{Workspace: workspaceWith(b, s, nil)})
	h.Initialize(map[string]any{"gateway": map[string]any{"mode": "all"}})
	h.UntilReady(s)
	task := open(h, "echo").Task
	info := gatewayOf(h)
	gateway := connect(b, info, "bench")
	listNames(b, gateway)
	process := startMCP(b, nil, "-workspace", h.Options.Workspace)
	listNames(b, process)
	arguments := map[string]any{"text": "hello"}
	ways := []func(){
		func() { callClient(b, direct, "echo", arguments) },
		func() { call(h, task, "echo", `{"text":"hello"}`) },
		func() { callClient(b, gateway, "echo", arguments) },
		func() { callClient(b, process, "echo", arguments) },
	}
	times := make([][]time.Duration, len(ways))
	for b.Loop() {
		for i, way := range ways {
			begun := time.Now()
			way()
			times[i] = append(times[i], time.Since(begun))
		}
	}
	base := median(times[0])
	b.ReportMetric(base, "direct-p50-µs")
	b.ReportMetric(median(times[1])-base, "host-overhead-p50-µs")
	b.ReportMetric(median(times[2])-base, "gateway-overhead-p50-µs")
	b.ReportMetric(median(times[3])-base, "mcp-process-overhead-p50-µs")
}
