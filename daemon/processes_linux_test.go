package daemon_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/protocol"
)

// whole asks for all rows of TestProcesses, comeAndGo for a hundred clients at a time.
var (
	whole     = flag.Bool("processes", false, "count the processes of four clients in four folders, too")
	comeAndGo = flag.Duration("come-and-go", 0, "how long a hundred clients come and go; without it twenty do, once")
)

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
		text, r := callClient(h.TB, c, "mcp_call", byName("echo", map[string]any{"message": "hi"}))
		for tries := 1; r.IsError && tries < 20 && strings.Contains(text, "there is no tool"); tries++ {
			text, r = callClient(h.TB, c, "mcp_call", byName("echo", map[string]any{"message": "hi"})) // it has not come up
		}
		if r.IsError {
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
	h.until(func() bool { return len(h.processes()) == 0 })
}

// until waits until something is true of the household's processes, for two minutes.
func (h *household) until(ok func() bool) {
	h.Helper()
	for range 6000 {
		if ok() {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	all := h.processes()
	h.Errorf("left are, with %d open files, %v", openFiles(all), all)
}

// TestProcesses_comeAndGo: twenty clients of a server come and go, ten at a time, or with
// -come-and-go a hundred at a time for so long, some killed in the middle of a call. Each
// of the others is answered; all use one process of the server; what stays has no more
// files open than before, and nothing is left of it after winnowd stop. See
// TestHolder_soak in daemon/holder for the holder alone.
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
	before := h.processes()
	held, open := pss(before), openFiles(before)
	var visits, killed, slow atomic.Int64
	visit := func(stay time.Duration) {
		c := exec.Command(winnowd(t), "mcp", "-alone", "-trust", "-workspace", folder, "-settings", settings)
		c.Env = h.env
		kill := visits.Add(1)%4 == 0
		if kill {
			killed.Add(1)
		}
		err := h.visit(c, stay, kill)
		if err != nil && *comeAndGo > 0 && regexp.MustCompile(`did not end within|not ended in time`).MatchString(err.Error()) {
			slow.Add(1) // a hundred programs have two processors
			err = nil
		}
		if err != nil {
			t.Error(err)
		}
	}
	began, guests := time.Now(), 10
	if *comeAndGo > 0 {
		guests = 100
	}
	var visitors sync.WaitGroup
	for range guests {
		visitors.Go(func() {
			if *comeAndGo == 0 {
				visit(0)
				visit(0)
			}
			for time.Since(began) < *comeAndGo && !t.Failed() {
				time.Sleep(rand.N(10 * time.Second)) // not all in the same moment
				visit(min(rand.N(2*time.Minute), *comeAndGo-time.Since(began)))
			}
		})
	}
	most, mostHeld := 0, 0
	gone := make(chan struct{})
	go func() {
		visitors.Wait()
		close(gone)
	}()
	for here := true; here; {
		if all := h.processes(); len(all) > most {
			most, mostHeld = len(all), pss(all)
		}
		select {
		case <-gone:
			here = false
		case <-time.After(5 * time.Second): // for the next figure
		}
	}
	// The end of a connection may be seen a moment after that of its client.
	h.until(func() bool { return openFiles(h.processes()) <= open })
	after := h.processes()
	t.Logf("%d visits in %s, %d killed in the middle of a call, %d that gave their end up after its limit: processes %d before, %d at the most, %d after; PSS %d MB, %d, %d; open files %d before, %d after",
		visits.Load(), time.Since(began).Round(time.Second), killed.Load(), slow.Load(), len(before), most, len(after), held, mostHeld, pss(after), open, openFiles(after))
	for _, part := range []string{"winnowd mcp ", "winnowd holder", "server-everything"} {
		n := 0
		for _, line := range after {
			if strings.Contains(line, part) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d processes of %q are left with one client, want 1: %v", n, part, after)
		}
	}
	_ = stays.Close()
	h.stop()
	h.untilEmpty()
}

// TestProcesses_share: two clients use one process of the holder's. "share" is changed in
// the entry while it runs: each client that reads the file starts the server anew, by the
// new word, and its calls are answered.
func TestProcesses_share(t *testing.T) {
	t.Parallel()
	h := newHousehold(t)
	entry := npmServers(t, t.TempDir())["everything"]
	folder, settings, file := t.TempDir(), filepath.Join(h.home, "settings.json"), filepath.Join(h.home, "winnow", "winnow.json")
	if err := os.WriteFile(settings, []byte(`{}`), 0o600); err != nil {
		t.Fatal(err)
	}
	// The user's own file: what a folder's says anew is asked about again.
	written := func(share protocol.ServerShare) {
		entry.Share = share
		raw, err := json.Marshal(map[string]any{"servers": servers{"everything": entry}})
		if err != nil {
			t.Fatal(err)
		}
		write(t, file, string(raw))
	}
	written("")
	var clients []*client.Client
	for range 2 {
		c, _, _ := h.come(folder, settings, 1)
		clients = append(clients, c)
	}
	if own, shared := h.servers("server-everything"); own != 0 || shared != 1 {
		t.Errorf("%d processes of clients and %d of the holder at first, want 0 and 1", own, shared)
	}
	for _, tt := range []struct {
		share protocol.ServerShare
		own   int
	}{{protocol.ShareClient, 2}, {protocol.ShareUser, 0}} {
		written(tt.share)
		h.until(func() bool {
			own, shared := h.servers("server-everything")
			return own == tt.own && (own > 0 || shared > 0)
		})
		for _, c := range clients {
			if text, r := callClient(t, c, "mcp_call", byName("echo", map[string]any{"message": "hi"})); r.IsError {
				t.Errorf("share %q: %s", tt.share, text)
			}
		}
	}
	for _, c := range clients {
		_ = c.Close()
	}
	h.stop()
	h.untilEmpty()
}

// servers counts the processes of a server by who has started them: a client's own
// winnowd, or the holder.
func (h *household) servers(part string) (own, shared int) {
	all := h.processes()
	for pid, line := range all {
		if !strings.Contains(line, part) {
			continue
		}
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, rest, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest)
		if len(fields) < 2 {
			continue // it has ended
		}
		parent, _ := strconv.Atoi(fields[1])
		switch {
		case strings.Contains(all[parent], "winnowd mcp "):
			own++
		case strings.Contains(all[parent], "winnowd holder"):
			shared++
		}
	}
	return own, shared
}

// openFiles counts what processes have open.
func openFiles(processes map[int]string) (n int) {
	for pid := range processes {
		entries, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
		n += len(entries)
	}
	return n
}

// visit is one client that calls, stays and calls again, and goes; with kill it is killed
// after it has asked.
func (h *household) visit(c *exec.Cmd, stay time.Duration, kill bool) error {
	log := bytes.Buffer{}
	c.Stderr = &log
	in, errIn := c.StdinPipe()
	out, errOut := c.StdoutPipe()
	if err := errors.Join(errIn, errOut); err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	until := func(id int) {
		for lines.Scan() && !strings.Contains(lines.Text(), fmt.Sprintf(`"id":%d,`, id)) {
		}
	}
	call := func(id int) {
		fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"mcp_call","arguments":{"name":"echo","arguments":{"message":"hi"}}}}`+"\n", id)
	}
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	call(2)
	until(1)
	if kill {
		_ = c.Process.Kill()
		_ = c.Wait()
		return nil
	}
	until(2)
	id := 2
	for id < 20 && strings.Contains(lines.Text(), "there is no tool") { // which is so while the server has not come up
		id++
		call(id)
		until(id)
	}
	if strings.Contains(lines.Text(), "Echo: hi") {
		time.Sleep(stay)
		id++
		call(id)
		until(id)
	}
	if !strings.Contains(lines.Text(), "Echo: hi") {
		return fmt.Errorf("a client got %q: %s", lines.Text(), log.Bytes())
	}
	_ = in.Close()
	if err := c.Wait(); err != nil {
		return fmt.Errorf("a client ends with %w: %s", err, log.Bytes())
	}
	return nil
}
