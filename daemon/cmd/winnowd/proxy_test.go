//go:build unix

package main

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// However many clients are connected at once, one proxy serves them in the background; it
// ends with the last of them, or by winnowd stop, and winnowd mcp starts it again.
func TestProxy_background(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop := p.command("stop")
		last := exec.Command(stop.Path, stop.Args[1:]...) // the test's own commands have ended
		last.Env = stop.Env
		_ = last.Run()
	})
	served := func() bool {
		r, err := http.Get("http://" + address + "/winnow/stats")
		if err != nil {
			return false
		}
		_ = r.Body.Close()
		return r.StatusCode == http.StatusOK
	}
	connect := func(client string, more ...string) string {
		return p.run("", append([]string{"connect", client, "-proxy", "-address", address}, more...)...)
	}
	var clients sync.WaitGroup
	for _, client := range []string{"claude", "gemini", "opencode"} {
		clients.Go(func() {
			if said := connect(client); !strings.Contains(said, address) {
				t.Errorf("%s: %s", client, said)
			}
		})
	}
	clients.Wait()
	settings := filepath.Join(p.home, ".claude", "settings.json")
	if text, err := os.ReadFile(settings); err != nil || !strings.Contains(string(text), address+"/anthropic") || !served() {
		t.Fatalf("served %t; the client's file: %s (%v)", served(), text, err)
	}
	if p.run("", "stop"); served() {
		t.Error("it goes on after winnowd stop")
	}
	mcp := p.command("mcp", "-alone", "-workspace", t.TempDir())
	stdin, err := mcp.StdinPipe()
	if err == nil {
		err = mcp.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for !served() && t.Context().Err() == nil { // until the test's own limit
		time.Sleep(10 * time.Millisecond)
	}
	_ = stdin.Close()
	if err := mcp.Wait(); err != nil {
		t.Error(err)
	}
	elsewhere, err := p.command("connect", "claude", "-proxy", "-address", "127.0.0.1:1").CombinedOutput()
	if err == nil || !strings.Contains(string(elsewhere), address+" already") {
		t.Errorf("at another address: %v, %s", err, elsewhere)
	}
	p.run("", "connect", "claude", "-proxy", "-undo") // as it is said by connect: without the address
	connect("gemini", "-undo")
	if _, err := os.Stat(settings); err == nil || !served() {
		t.Errorf("a client is left, and it serves: %t; the file that was made is there: %t", served(), err == nil)
	}
	if connect("opencode", "-undo"); served() {
		t.Error("it goes on without a client")
	}
}
