//go:build unix

package daemon_test

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// firstWords are what a client says at its start, all at once.
const firstWords = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`

// BenchmarkFirstAnswers measures a process's start to the answers to initialize
// and to the first tools/list, beside servers of which one never gets up: with
// nothing known, with the tools of an earlier run, and joined to a daemon.
func BenchmarkFirstAnswers(b *testing.B) {
	for _, tc := range []struct {
		name  string
		tools int
		known bool
	}{{"cold", 1000, false}, {"warm", 100, true}, {"warm", 1000, true}, {"joined", 1000, true}} {
		name, known := tc.name, tc.known
		b.Run(fmt.Sprintf("%s/%d-tools", name, tc.tools), func(b *testing.B) {
			s := benchServers(b)
			most := max(1, len(s)*tc.tools/1000) // all have as many tools
			for one := range s {
				if len(s) > most {
					delete(s, one)
				}
			}
			hanging := scripted(b, upstreamtest.Script{Ignore: []string{"initialize", "server/discover"}})
			workspace, storage, home := workspaceWith(b, s, nil), b.TempDir(), b.TempDir()
			if known {
				h := daemontest.Start(b, winnowd(b), daemontest.Options{Workspace: workspace, Storage: storage, Home: home})
				h.Initialize(nil)
				h.UntilReady(s)
				if name == "warm" {
					h.Close()
				}
			}
			s["hanging"] = hanging
			save(b, workspace, s, nil)
			var initialized, listed []time.Duration
			for b.Loop() {
				dir := storage
				if !known {
					dir = b.TempDir()
				}
				first, second := firstAnswers(b, "HOME="+home, "-workspace", workspace, "-storage", dir, "-trust")
				initialized, listed = append(initialized, first), append(listed, second)
			}
			b.ReportMetric(median(initialized)/1000, "initialize-p50-ms")
			b.ReportMetric(median(listed)/1000, "list-p50-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// firstAnswers runs a process, and returns the times from its start to its
// answers.
func firstAnswers(b *testing.B, env string, args ...string) (initialized, listed time.Duration) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), winnowd(b), append([]string{"mcp"}, args...)...)
	cmd.Env = append(cmd.Environ(), env)
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	if _, err := io.WriteString(in, firstWords); err != nil {
		b.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 32<<20)
	for listed == 0 && lines.Scan() {
		switch line := lines.Text(); {
		case strings.Contains(line, `"id":1`):
			initialized = time.Since(begun)
		case strings.Contains(line, `"id":2`):
			listed = time.Since(begun)
		}
	}
	if listed == 0 {
		b.Fatalf("no list: %v", lines.Err())
	}
	_ = in.Close()
	_, _ = io.Copy(io.Discard, out)
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	return initialized, listed
}
