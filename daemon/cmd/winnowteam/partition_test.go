//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// cable passes the bytes of connections on. While it is cut it passes none and ends no
// connection, so that neither side is told.
type cable struct {
	address string

	mu    sync.Mutex
	whole *sync.Cond
	isCut bool
	ended bool
	conns []net.Conn
}

// lay lays a cable to an address.
func lay(t *testing.T, network, to string) *cable {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{address: listener.Addr().String()}
	c.whole = sync.NewCond(&c.mu)
	var passing sync.WaitGroup
	passing.Go(func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial(network, to)
			if err != nil {
				_ = near.Close()
				continue
			}
			c.mu.Lock()
			c.conns = append(c.conns, near, far)
			c.mu.Unlock()
			passing.Go(func() { c.pass(near, far) })
			passing.Go(func() { c.pass(far, near) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		c.mu.Lock()
		c.ended = true
		c.whole.Broadcast()
		for _, one := range c.conns {
			_ = one.Close()
		}
		c.mu.Unlock()
		passing.Wait()
	})
	return c
}

// pass copies from one side to the other; the end of a connection is a thing to pass on,
// too.
func (c *cable) pass(from, to net.Conn) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		c.mu.Lock()
		for c.isCut && !c.ended {
			c.whole.Wait()
		}
		c.mu.Unlock()
		if n > 0 {
			if _, failed := to.Write(buffer[:n]); failed != nil {
				err = failed
			}
		}
		if err != nil {
			_ = to.Close()
			_ = from.Close()
			return
		}
	}
}

// cut cuts the cable, or mends it.
func (c *cable) cut(cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.isCut = cut
	c.whole.Broadcast()
}

// database lays a cable to the fixture's database, and returns it with the environment
// of a process that uses it.
func (f *fixture) database() (c *cable, env []string) {
	c = lay(f.t, "unix", filepath.Join(cluster.Dir, ".s.PGSQL.5432"))
	return c, append(f.env[:len(f.env):len(f.env)], "WINNOWTEAM_DATABASE=postgres://postgres@"+c.address+"/postgres?sslmode=disable")
}

// within starts a process with an environment of its own.
func (f *fixture) within(env []string, start func() *replica) *replica {
	before := f.env
	f.env = env
	defer func() { f.env = before }()
	return start()
}

// TestTeam_partitions: the network ends between two of the processes, and neither is
// told. Nothing is made twice, no one waits for ever, what was withdrawn is not called
// where it could not be recorded, and all goes on once the network is whole.
func TestTeam_partitions(t *testing.T) {
	t.Parallel()
	server := startServer(t, true)
	pids, received := filepath.Join(t.TempDir(), "pids"), filepath.Join(t.TempDir(), "received")
	command, args, env := upstreamtest.Program(t, upstreamtest.Script{PIDFile: pids, ReceivedFile: received, Stubborn: true})
	entry, err := json.Marshal(map[string]any{"command": command, "args": args, "env": env, "timeout": 3})
	if err != nil {
		t.Fatal(err)
	}
	port := freePorts(t, 1)
	reached := lay(t, "tcp", fmt.Sprint("127.0.0.1:", port)) // the way to the first holder
	var holding *cable                                       // its way to the database
	f := newFixture(t, 1, server, withKeys, func(f *fixture) {
		f.more = `,"desk":` + string(entry)
		var env []string
		holding, env = f.database()
		f.within(env, func() *replica {
			return f.start("hold", "--listen", fmt.Sprint("127.0.0.1:", port), "--advertise", reached.address)
		})
	})
	recording, env2 := f.database()
	f.replicas = append(f.replicas, f.within(env2, f.startReplica))
	whole, apart := f.replicas[0], f.replicas[1]
	f.untilReady(apart)
	ctx := t.Context()
	f.until("the program's tools wait for an approval", func() bool { return strings.Contains(f.run("review", "desk"), "tool:echo") })
	f.approve("desk")
	echo := func(r *replica, text string) answer {
		return f.ask(f.post(ctx, r.address, "bob", "tools/call", "mcp_call", fmt.Sprintf(`"name":"mcp_call","arguments":{"name":"echo","arguments":{"text":%q}}`, text)))
	}
	for _, r := range f.replicas {
		f.until("the program is called", func() bool { return !echo(r, "before").result.IsError })
	}
	// times is how often the program was sent a text.
	times := func(text string) int {
		t.Helper()
		got, err := os.ReadFile(received)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(got), fmt.Sprintf("%q", text))
	}
	// outcome is what the record says of the newest call of a tool.
	outcome := func(tool string) string {
		t.Helper()
		entries, _, err := f.store.Journal().Newest(ctx, journal.Filter{Tool: tool}, 1)
		if err != nil || len(entries) != 1 {
			return fmt.Sprint(len(entries), " ", err)
		}
		return entries[0].Outcome
	}

	t.Run("a replica from the database", func(t *testing.T) {
		begun, release := make(chan struct{}), make(chan struct{})
		server.mu.Lock()
		server.called = func(id string) {
			if id == "flight" {
				close(begun)
				<-release
			}
		}
		server.mu.Unlock()
		under := make(chan answer, 1)
		go func() {
			a, err := f.call(ctx, apart.address, "alice", "delete_note", "flight")
			if err != nil {
				t.Error(err)
			}
			under <- a
		}()
		<-begun
		recording.cut(true)
		close(release)
		if a := <-under; a.result.IsError || server.count("flight") != 1 {
			t.Errorf("the call that was under way: %d times, %s", server.count("flight"), a.text())
		}
		f.run("revoke", "notes/write_note")
		f.until("the other replica refuses what was withdrawn", func() bool {
			return f.ask(f.call(ctx, whole.address, "alice", "write_note", "whole")).result.IsError
		})
		asked := time.Now()
		refused := f.ask(f.call(ctx, apart.address, "alice", "write_note", "withdrawn"))
		if !refused.result.IsError || server.count("withdrawn") != 0 || !strings.Contains(refused.text(), "could not be recorded") {
			t.Errorf("what was withdrawn is called %d times where nobody knows of it: %s", server.count("withdrawn"), refused.text())
		}
		t.Logf("refused after %v: %s", time.Since(asked).Round(time.Millisecond), refused.text())
		if a := f.ask(f.call(ctx, apart.address, "alice", "read_note", "read")); a.result.IsError {
			t.Errorf("what only reads does not go on: %s", a.text())
		}
		recording.cut(false)
		mended := time.Now()
		f.until("it hears of the withdrawal", func() bool {
			a := f.ask(f.call(ctx, apart.address, "alice", "write_note", "withdrawn"))
			return a.result.IsError && !strings.Contains(a.text(), "could not be recorded") && !strings.Contains(a.text(), "has changed since")
		})
		t.Logf("followed %v after the network was whole", time.Since(mended).Round(time.Millisecond))
		f.until("the outcome of what was under way is recorded", func() bool { return outcome("delete_note") == journal.OK })
		f.until("calls that may write go on", func() bool { return !f.ask(f.call(ctx, apart.address, "alice", "delete_note", "after")).result.IsError })
		if server.count("flight") != 1 || server.count("withdrawn") != 0 {
			t.Errorf("made again: %d and %d times", server.count("flight"), server.count("withdrawn"))
		}
	})

	t.Run("replicas from a holder", func(t *testing.T) {
		reached.cut(true)
		asked := time.Now()
		a := echo(whole, "lost")
		if !a.result.IsError {
			t.Errorf("nobody could answer: %s", a.text())
		}
		t.Logf("failed after %v, of 3 s at most: %s", time.Since(asked).Round(time.Millisecond), a.text())
		reached.cut(false)
		f.until("the program is called again", func() bool { return !echo(whole, "whole").result.IsError })
		if n := times("lost"); n > 1 {
			t.Errorf("a call that failed was made %d times", n)
		}
	})

	t.Run("a holder from the database", func(t *testing.T) {
		f.start("hold", "--listen", "127.0.0.1:0")
		before := running(t, pids)
		if len(before) != 1 {
			t.Fatalf("the processes %v run", before)
		}
		holding.cut(true)
		cut := time.Now()
		f.until("another holder runs the program", func() bool {
			now := running(t, pids)
			if len(now) > 1 {
				t.Fatalf("the processes %v run at once", now)
			}
			return len(now) == 1 && now[0] != before[0]
		})
		t.Logf("another holder runs it after %v", time.Since(cut).Round(time.Millisecond))
		f.until("it is called there", func() bool { return !echo(whole, "there").result.IsError })
		after := running(t, pids)
		holding.cut(false)
		for n := range 5 { // it would take the program back
			f.until("it is called there still", func() bool { return !echo(apart, fmt.Sprint("mended ", n)).result.IsError })
		}
		if now := running(t, pids); len(now) != 1 || len(after) != 1 || now[0] != after[0] {
			t.Errorf("the processes %v run, and before %v", now, after)
		}
	})
}
