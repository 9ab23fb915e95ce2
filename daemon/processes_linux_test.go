package daemon_test

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/protocol"
)

// whole asks for all rows of TestProcesses, and a hundred clients that come and go.
var whole = flag.Bool("processes", false, "count the processes of four clients in four folders, too, and of a hundred that come and go")

// household is a user's home with the processes that run for it.
type household struct {
	testing.TB
	home string
	env  []string
}

func newHousehold(t testing.TB) *household {
	t.Helper()
	home, err := os.MkdirTemp("", "w") // a socket's path has to be short
	if err != nil {
		t.Fatal(err)
	}
	h := &household{t, home, append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home, "XDG_RUNTIME_DIR="+home, "WINNOW_SHARE=on")}
	t.Cleanup(func() {
		h.stop()
		_ = os.RemoveAll(home)
	})
	return h
}

// stop ends the holder.
func (h *household) stop() {
	stop := exec.Command(winnowd(h.TB), "stop")
	stop.Env = h.env
	if out, err := stop.CombinedOutput(); err != nil {
		h.Errorf("%v: %s", err, out)
	}
}

// processes returns the processes of the household, by id, with their command lines.
func (h *household) processes() map[int]string {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		h.Fatal(err)
	}
	all := map[int]string{}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		environ, err := os.ReadFile(filepath.Join("/proc", entry.Name(), "environ"))
		if err != nil || !bytes.Contains(environ, []byte("HOME="+h.home+"\x00")) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "cmdline"))
		if bytes.Contains(line, []byte("check-latest-version")) {
			continue // of chrome-devtools-mcp, for a moment
		}
		all[pid] = string(bytes.ReplaceAll(line, []byte{0}, []byte{' '}))
	}
	return all
}

// pss returns the memory that processes hold, what several share divided among
// these, in MB.
func pss(processes map[int]string) (mb int) {
	sum := 0
	for pid := range processes {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		for line := range strings.Lines(string(text)) {
			if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "Pss:" {
				kb, _ := strconv.Atoi(fields[1])
				sum += kb
			}
		}
	}
	return sum >> 10
}

// come starts a client in a folder and returns it when its servers are ready, with how
// long its first call has taken from its start, and its second one.
func (h *household) come(folder, settings string, servers int) (c *client.Client, first, second time.Duration) {
	h.Helper()
	began := time.Now()
	c, err := client.NewStdioMCPClient(winnowd(h.TB), h.env, "mcp", "-alone", "-trust", "-workspace", folder, "-settings", settings)
	if err != nil {
		h.Fatal(err)
	}
	log, _ := client.GetStderr(c)
	ready := make(chan struct{})
	go func() {
		lines, seen := bufio.NewScanner(log), 0
		for lines.Scan() {
			if strings.Contains(lines.Text(), `"msg":"MCP server is ready"`) {
				if seen++; seen == servers {
					close(ready)
				}
			}
		}
	}()
	if err := c.Start(context.WithoutCancel(h.Context())); err != nil {
		h.Fatal(err)
	}
	hello(h.TB, c, mcp.ClientCapabilities{})
	call := func() time.Duration {
		began := time.Now()
		if text, r := callClient(h.TB, c, "mcp_call", byName("echo", map[string]any{"message": "hi"})); r.IsError {
			h.Fatalf("echo: %s", text)
		}
		return time.Since(began)
	}
	call()
	first = time.Since(began)
	second = call()
	select {
	case <-ready:
	case <-time.After(2 * time.Minute):
		h.Fatalf("%d servers are not ready after two minutes", servers)
	}
	return c, first, second
}

// TestProcesses counts what four clients cost who each have the same five real servers:
// in one folder, and with -processes in four; alone, shared by default, and where every
// entry says that all of the user's clients share it.
func TestProcesses(t *testing.T) {
	t.Parallel()
	const everything = "server-everything/"
	var rows []string
	for _, tt := range []struct {
		name    string
		minutes int
		share   protocol.ServerShare
		folders int
		// servers are the processes of all servers, and of one that may look at its folder.
		servers, one int
	}{
		{"each client its own", 0, "", 1, 20, 4},
		{"shared, by default", 10, "", 1, 14, 1},
		{"shared, by default", 10, "", 4, 20, 4},
		{`"share": "user"`, 10, protocol.ShareUser, 4, 5, 1},
	} {
		if tt.folders > 1 && !*whole {
			continue
		}
		h := newHousehold(t)
		data, settings := t.TempDir(), filepath.Join(h.home, "settings.json")
		s := npmServers(t, data)
		delete(s, "playwright")
		for name, entry := range s {
			entry.Share = tt.share
			s[name] = entry
		}
		if err := os.WriteFile(settings, fmt.Appendf(nil, `{"servers.idleMinutes": %d}`, tt.minutes), 0o600); err != nil {
			t.Fatal(err)
		}
		var folders []string
		for range tt.folders {
			folders = append(folders, workspaceWith(t, s, nil))
		}
		var clients []*client.Client
		var cold, warm, call time.Duration
		for i := range 4 {
			c, first, second := h.come(folders[i%len(folders)], settings, len(s))
			clients = append(clients, c)
			if warm, call = first, second; i == 0 {
				cold = first
			}
		}
		all := h.processes()
		count := func(part string) (n int) {
			for _, line := range all {
				if strings.Contains(line, part) {
					n++
				}
			}
			return n
		}
		servers := 0
		for name, entry := range s {
			if name == "chrome-devtools" {
				servers += count("chrome-devtools-mcp  ") // what it calls itself
				continue
			}
			servers += count(entry.Args[0])
		}
		rows = append(rows, fmt.Sprintf("%-20s | %7d | %7d | %9d | %6d | %s | %s | %s", tt.name, tt.folders, servers, len(all), pss(all),
			cold.Round(10*time.Millisecond), warm.Round(10*time.Millisecond), call.Round(time.Millisecond)))
		if n := count(everything); servers != tt.servers || n != tt.one {
			t.Errorf("%s, %d folders: %d processes of servers, %d of one; want %d and %d: %v", tt.name, tt.folders, servers, n, tt.servers, tt.one, all)
		}
		for _, c := range clients {
			_ = c.Close()
		}
		h.stop()
		h.untilEmpty()
	}
	t.Logf("four clients, five servers\n%-20s | folders | servers | processes | PSS MB | first call cold | first call of the 4th | its second call\n%s", "", strings.Join(rows, "\n"))
}

// untilEmpty waits until no process of the household runs.
func (h *household) untilEmpty() {
	h.Helper()
	for range 1500 {
		if len(h.processes()) == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	h.Errorf("left are %v", h.processes())
}

// TestProcesses_comeAndGo: twenty clients, or a hundred, of a server come and go, ten at a time,
// some killed in the middle of a call. Each of the others is answered; all use one
// process of the server, and nothing is left of them, or of it after winnowd stop. See
// TestHolder_soak in daemon/holder for a hundred at a time, for as long as one likes.
func TestProcesses_comeAndGo(t *testing.T) {
	t.Parallel()
	h := newHousehold(t)
	s := npmServers(t, t.TempDir())
	s = servers{"everything": s["everything"]}
	folder, settings := workspaceWith(t, s, nil), filepath.Join(h.home, "settings.json")
	if err := os.WriteFile(settings, []byte(`{}`), 0o600); err != nil {
		t.Fatal(err)
	}
	stays, _, _ := h.come(folder, settings, 1)
	var visitors sync.WaitGroup
	next := make(chan int)
	for range 10 {
		visitors.Go(func() {
			for i := range next {
				c := exec.Command(winnowd(t), "mcp", "-alone", "-trust", "-workspace", folder, "-settings", settings)
				c.Env = h.env
				h.visit(c, i%4 == 0)
			}
		})
	}
	visits := 20
	if *whole {
		visits = 100
	}
	for i := range visits {
		next <- i
	}
	close(next)
	visitors.Wait()
	all := h.processes()
	for _, part := range []string{"winnowd mcp ", "winnowd holder", "server-everything"} {
		n := 0
		for _, line := range all {
			if strings.Contains(line, part) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d processes of %q are left with one client, want 1: %v", n, part, all)
		}
	}
	_ = stays.Close()
	h.stop()
	h.untilEmpty()
}

// visit is one client that calls once and goes; with kill it is killed after it has
// asked.
func (h *household) visit(c *exec.Cmd, kill bool) {
	in, errIn := c.StdinPipe()
	out, errOut := c.StdoutPipe()
	if errIn != nil || errOut != nil || c.Start() != nil {
		h.Error("a client does not start")
		return
	}
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"mcp_call","arguments":{"name":"echo","arguments":{"message":"hi"}}}}`)
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.Contains(lines.Text(), `"id":1,`) {
	}
	if kill {
		_ = c.Process.Signal(syscall.SIGKILL)
		_ = c.Wait()
		return
	}
	for lines.Scan() && !strings.Contains(lines.Text(), `"id":2,`) {
	}
	if !strings.Contains(lines.Text(), "Echo: hi") {
		h.Errorf("a client got %q", lines.Text())
	}
	_ = in.Close()
	if err := c.Wait(); err != nil {
		h.Errorf("a client ends with %v", err)
	}
}
