//go:build linux

package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// freePorts returns the first of n ports in a row that nobody has now.
func freePorts(t *testing.T, n int) int {
	t.Helper()
	for range 100 {
		first, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		listeners := []net.Listener{first}
		port := first.Addr().(*net.TCPAddr).Port
		for i := 1; i < n; i++ {
			if next, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port+i)); err == nil {
				listeners = append(listeners, next)
			}
		}
		for _, one := range listeners {
			_ = one.Close()
		}
		if len(listeners) == n {
			return port
		}
	}
	t.Fatal("no ports in a row are free")
	return 0
}

// TestUp is the page's way from nothing to three replicas behind haproxy: the script
// that is shipped, with a program that a holder runs, and a user whom the provider
// knows.
func TestUp(t *testing.T) {
	t.Parallel()
	cluster.New(t) // PostgreSQL is installed, or this is skipped
	if _, err := exec.LookPath("/usr/sbin/haproxy"); err != nil && os.Getenv("CI") == "" {
		t.Skip("haproxy is not installed (Debian: apt-get install haproxy)")
	}
	provider := upstreamtest.StartAuthServer(t)
	token, err := provider.Token(t.Context(), "bob", resource)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "up-") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	bin := filepath.Join(dir, "bin")
	self, err := os.Executable()
	if err == nil {
		err = os.Chmod(dir, 0o755) //nolint:gosec // the user postgres has a folder in it
	}
	if err == nil {
		err = os.Mkdir(bin, 0o755) //nolint:gosec // likewise
	}
	if err != nil {
		t.Fatal(err)
	}
	command, args, env := upstreamtest.Program(t, upstreamtest.Script{})
	entry := fmt.Sprintf(`{"servers":{"notes":{"command":%q,"args":%s,"env":{%s}}}}`, command, "["+strings.Join(args, ",")+"]", quoted(env))
	for name, text := range map[string]string{
		"bin/winnowteam": "#!/bin/sh\n" + asCommand + "=1 exec " + self + ` "$@"` + "\n",
		"winnow.json":    entry,
		"team.cedar":     `permit(principal in Group::"staff", action == Action::"call", resource);`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil { //nolint:gosec // one is a program
			t.Fatal(err)
		}
	}
	port := freePorts(t, 5)
	script, err := filepath.Abs(filepath.Join("..", "..", "packaging", "team", "up.sh"))
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	up := exec.Command(script, dir)
	up.Env = append(os.Environ(), "ISSUER="+provider.Issuer, "RESOURCE="+resource, fmt.Sprint("PORT=", port), "PATH="+bin+":"+os.Getenv("PATH"))
	said := &lockedBuffer{}
	up.Stdout, up.Stderr = writer{said}, writer{said}
	up.WaitDelay = time.Second
	if err := up.Start(); err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, tokens: map[string]string{"bob": token}, balancer: fmt.Sprint("127.0.0.1:", port)}
	t.Cleanup(func() {
		_ = up.Process.Signal(syscall.SIGTERM)
		_ = up.Wait()
		if t.Failed() {
			logs, _ := filepath.Glob(filepath.Join(dir, "*.log"))
			for _, log := range logs {
				text, _ := os.ReadFile(log)
				t.Logf("%s:\n%s", filepath.Base(log), text)
			}
			t.Logf("the script says:\n%s", said)
		}
		if _, err := os.Stat(filepath.Join(dir, "db", "postmaster.pid")); err == nil {
			t.Error("the script leaves its database running")
		}
	})
	address := regexp.MustCompile(`WINNOWTEAM_DATABASE='([^']+)'`)
	f.until("the script says how to go on", func() bool { return address.MatchString(said.String()) })
	f.env = append(os.Environ(), asCommand+"=1", "WINNOWTEAM_DATABASE="+address.FindStringSubmatch(said.String())[1])
	f.until("what the program says waits", func() bool { return strings.Contains(f.run("review"), "tool:echo") })
	f.approve("notes")
	f.until("a user's call is answered", func() bool {
		a, err := f.post(t.Context(), f.balancer, "bob", "tools/call", "mcp_call", `"name":"mcp_call","arguments":{"name":"echo","arguments":{"text":"heard"}}`)
		return err == nil && a.status == http.StatusOK && !a.result.IsError && strings.Contains(a.raw, "heard")
	})
	t.Logf("from nothing to an answer in %v", time.Since(begun).Round(10*time.Millisecond))
	for n := range 3 {
		answer, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/readyz", port+1+n))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			t.Errorf("replica %d: HTTP %d", n+1, answer.StatusCode)
		}
	}
}

// quoted writes an environment as members of a JSON object.
func quoted(env map[string]string) string {
	var all []string
	for name, value := range env {
		all = append(all, fmt.Sprintf("%q:%q", name, value))
	}
	return strings.Join(all, ",")
}

// writer writes into a buffer.
type writer struct{ to *lockedBuffer }

func (w writer) Write(p []byte) (int, error) {
	w.to.add(string(p))
	return len(p), nil
}
