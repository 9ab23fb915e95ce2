//go:build unix

package holder

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/socket"
)

const roleVariable = "WINNOW_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "holder":
		if err := Run(context.Background(), socket.Place{}, slog.New(slog.DiscardHandler), func() { fmt.Println("ready") }); err != nil && !errors.Is(err, socket.ErrInUse) {
			os.Exit(1)
		}
	case "server":
		serve()
	default:
		os.Exit(m.Run())
	}
}

// serve answers each request with its process id and its progress token.
func serve() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		if m, ok := parse(in.Bytes()); ok && m.ID != nil {
			if token := m.read().Meta.ProgressToken; token != nil {
				fmt.Printf("%s\n", notice("notifications/progress", map[string]any{"progressToken": token, "progress": 1}))
			}
			switch m.Method {
			case "broken":
				fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\n", m.ID)
			case "escape":
				// It keeps this process's output, and nothing tells whose child it is.
				sleeper := exec.Command("setsid", "sleep", "60")
				sleeper.Env, sleeper.Stdout = []string{}, os.Stdout
				_ = sleeper.Start()
				fmt.Printf("%s\n", result(m.ID, map[string]any{"pid": sleeper.Process.Pid}))
				os.Exit(1)
			default:
				fmt.Printf("%s\n", result(m.ID, map[string]any{"pid": os.Getpid(), "method": m.Method}))
			}
		}
	}
}

func client(t *testing.T) (*Client, Spec) {
	t.Helper()
	dir, err := os.MkdirTemp("", "h")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	place := socket.Place{Environ: func(string) (string, bool) { return dir, true }}
	t.Cleanup(func() {
		if _, err := Stop(context.Background(), place); err != nil {
			t.Error(err)
		}
		_ = os.RemoveAll(dir)
	})
	c := &Client{Place: place, Command: func() (*exec.Cmd, error) {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir, roleVariable+"=holder")
		return cmd, nil
	}}
	return c, Spec{Path: self, Args: []string{"server"}, Env: append(os.Environ(), roleVariable+"=server"), Dir: dir}
}

// visitor is a guest that asks one thing after the other.
type visitor struct {
	*Child
	in *bufio.Scanner
}

func open(t *testing.T, c *Client, spec Spec, not uint64) *visitor {
	t.Helper()
	child, err := c.Open(t.Context(), &Wanted{Spec: spec, Client: t.Name(), Not: not, Idle: time.Minute}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	v := &visitor{child, bufio.NewScanner(child.Stdout)}
	v.ask(t, `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{}}`)
	return v
}

// ask returns the lines up to the answer.
func (v *visitor) ask(t *testing.T, line string) (lines []string) {
	t.Helper()
	if _, err := v.Write([]byte(line + "\n")); err != nil {
		t.Fatal(err)
	}
	for v.in.Scan() {
		lines = append(lines, v.in.Text())
		if m, ok := parse(v.in.Bytes()); ok && m.Method == "" {
			return lines
		}
	}
	t.Fatalf("no answer to %s: %q", line, lines)
	return nil
}

// Guests that come in the same moment share one holder and one child; each gets
// its own answers under its own ids, and the child outlives them.
func TestHolder_shares(t *testing.T) {
	c, spec := client(t)
	pids := make([]int, 4)
	var together sync.WaitGroup
	for i := range pids {
		together.Go(func() {
			v := open(t, c, spec, 0)
			pids[i] = v.PID()
			id := fmt.Sprintf(`"of %d"`, i)
			said := v.ask(t, `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":`+id+`}}}`)
			if len(said) != 2 || !strings.Contains(said[0], `"progressToken":`+id) || !strings.Contains(said[1], `"id":`+id) {
				t.Errorf("guest %d got %q", i, said)
			}
			v.Leave(false)
		})
	}
	together.Wait()
	for _, pid := range pids {
		if pid != pids[0] {
			t.Errorf("processes %d, want one", pids)
		}
	}
	if v := open(t, c, spec, 0); v.PID() != pids[0] {
		t.Errorf("process %d after all had left, want %d", v.PID(), pids[0])
	} else {
		v.Leave(true)
	}
	if err := syscall.Kill(pids[0], 0); err == nil {
		t.Error("the child lives, whose last guest wanted its end")
	}
	other := spec
	other.Env = append(other.Env, "KEY=other")
	a, b := open(t, c, spec, 0), open(t, c, other, 0)
	if a.PID() == b.PID() {
		t.Error("another environment shares the child")
	}
	a.Leave(false)
	b.Leave(false)
}

// An answer that is no JSON ends its own guest's request, and no other's: the id in
// it is the child's.
func TestHolder_brokenAnswer(t *testing.T) {
	c, spec := client(t)
	a, b := open(t, c, spec, 0), open(t, c, spec, 0)
	said := a.ask(t, `{"jsonrpc":"2.0","id":"broken","method":"broken"}`+"\n"+`{"jsonrpc":"2.0","id":"next","method":"x"}`)
	if last := said[len(said)-1]; !strings.Contains(last, `"id":"broken"`) || !strings.Contains(last, `"error"`) {
		t.Errorf("got %q, want an error for the broken answer", said)
	}
	if said := b.ask(t, `{"jsonrpc":"2.0","id":"of b","method":"x"}`); len(said) != 1 {
		t.Errorf("the other guest got %q, want its own answer alone", said)
	}
	a.Leave(false)
	b.Leave(false)
}

// The end of a child is told though something that it started holds its output.
func TestHolder_outputHeld(t *testing.T) {
	c, spec := client(t)
	a := open(t, c, spec, 0)
	said := a.ask(t, `{"jsonrpc":"2.0","id":1,"method":"escape"}`)
	var answer struct{ Result struct{ PID int } }
	if err := json.Unmarshal([]byte(said[0]), &answer); err != nil || answer.Result.PID == 0 {
		t.Fatalf("got %q, %v", said, err)
	}
	defer func() { _ = syscall.Kill(answer.Result.PID, syscall.SIGKILL) }()
	select {
	case <-a.Exited:
	case <-time.After(10 * time.Second):
		t.Error("the guest was not told that the child has ended")
	}
}

// A child or a holder that is killed is told of, and the next visit is at a new
// one.
func TestHolder_killed(t *testing.T) {
	c, spec := client(t)
	a, b := open(t, c, spec, 0), open(t, c, spec, 0)
	if err := syscall.Kill(a.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-a.Exited
	<-b.Exited
	if !strings.Contains(b.ExitCause().Error(), "killed") {
		t.Errorf("the end: %v", b.ExitCause())
	}
	a = open(t, c, spec, a.ID)
	b = open(t, c, spec, b.ID)
	if a.PID() != b.PID() {
		t.Error("two children after the first was killed")
	}
	var holder struct{ Parent int }
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", a.PID()))
	if err != nil {
		t.Skip("NOT TESTED: there is no /proc")
	}
	if _, err := fmt.Sscan(strings.Fields(string(stat[strings.LastIndex(string(stat), ")")+1:]))[1], &holder.Parent); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(holder.Parent, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-a.Exited
	<-b.Exited
	next := open(t, c, spec, a.ID)
	if next.PID() == a.PID() {
		t.Error("the child outlived its holder")
	}
	next.Leave(false)
}
