//go:build unix

package holder

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/socket"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// soak is for how long clients come and go; by hand ten minutes.
var soak = flag.Duration("soak", 2*time.Second, "how long TestHolder_soak lasts")

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

// serve answers each request with its process id, and reports its progress. What a
// call names says what else happens.
func serve() {
	var mu sync.Mutex
	say := func(line []byte) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Printf("%s\n", line)
	}
	var cancelled []string
	running := 0
	var listening []json.RawMessage
	answers := make(chan string)
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		m, ok := parse(in.Bytes())
		if ok && m.Method == "notifications/cancelled" {
			cancelled = append(cancelled, string(m.read().RequestID))
		}
		if ok && m.Method == "" {
			answers <- in.Text()
		}
		if !ok || m.ID == nil || m.Method == "" {
			continue
		}
		if token := m.read().Meta.ProgressToken; token != nil {
			say(notice("notifications/progress", map[string]any{"progressToken": token, "progress": 1}))
		}
		var call struct{ Name string }
		_ = json.Unmarshal(m.Params, &call)
		switch does := cmp.Or(call.Name, m.Method); {
		case does == "broken":
			fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\n", m.ID)
		case does == "batch":
			say([]byte("[" + string(result(m.ID, map[string]any{"batch": true})) + "]"))
		case does == "escape":
			// It keeps this process's output, and nothing tells whose child it is.
			sleeper := exec.Command("setsid", "sleep", "60")
			sleeper.Env, sleeper.Stdout = []string{}, os.Stdout
			_ = sleeper.Start()
			say(result(m.ID, map[string]any{"pid": sleeper.Process.Pid}))
			os.Exit(1)
		case does == "ask": // answers with what it was answered, and with the calls under way
			mu.Lock()
			running++
			now := running
			mu.Unlock()
			go func() {
				say(encode(map[string]any{"jsonrpc": "2.0", "id": "question", "method": "elicitation/create", "params": map[string]any{}}))
				answer := <-answers
				mu.Lock()
				running--
				mu.Unlock()
				say(result(m.ID, map[string]any{"answer": answer, "running": now}))
			}()
		case does == "hang":
		case does == "subscriptions/listen":
			listening = append(listening, m.ID)
		case does == "announce": // to each who listens, as servers of 2026-07-28 do
			about := map[string]any{"uri": "it"}
			for _, id := range listening {
				about["_meta"] = map[string]any{"io.modelcontextprotocol/subscriptionId": id}
				say(notice("notifications/resources/updated", about))
			}
			say(result(m.ID, struct{}{}))
		case does == "touch part":
			say(notice("notifications/resources/updated", map[string]string{"uri": "it/part"}))
			say(result(m.ID, struct{}{}))
		case does == "cancelled":
			say(result(m.ID, map[string]any{"cancelled": cancelled}))
		case does == "touch":
			say(notice("notifications/resources/updated", map[string]string{"uri": "it"}))
			say(result(m.ID, struct{}{}))
		case m.Method == methodSubscribe && m.read().URI == "refused":
			say(refusal(m.ID, "no"))
		default:
			say(result(m.ID, map[string]any{"pid": os.Getpid(), "method": m.Method}))
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
		if m, ok := parse(v.in.Bytes()); ok && (m.Method == "" || m.ID != nil) {
			return lines
		}
	}
	t.Fatalf("no answer to %s: %q", line, lines)
	return nil
}

// say writes a line to which no answer is waited for.
func (v *visitor) say(t *testing.T, line string) {
	t.Helper()
	if _, err := v.Write([]byte(line + "\n")); err != nil {
		t.Fatal(err)
	}
}

// next returns the next line.
func (v *visitor) next(t *testing.T) string {
	t.Helper()
	if !v.in.Scan() {
		t.Fatal("no further line")
	}
	return v.in.Text()
}

// call is a call of a tool.
func call(id, name string) string {
	return `{"jsonrpc":"2.0","id":"` + id + `","method":"tools/call","params":{"name":"` + name + `"}}`
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

// A child stays as long without guests as the one wanted that started it: what
// another one wants counts from its next start.
func TestHolder_idle(t *testing.T) {
	c, spec := client(t)
	const soon = 10 * time.Millisecond
	visit := func(idle time.Duration) *Child {
		child, err := c.Open(t.Context(), &Wanted{Spec: spec, Client: t.Name(), Idle: idle}, t.Output())
		if err != nil {
			t.Fatal(err)
		}
		(&visitor{child, bufio.NewScanner(child.Stdout)}).ask(t, `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{}}`)
		return child
	}
	first, second := visit(soon), visit(time.Hour)
	if first.PID() != second.PID() {
		t.Fatalf("processes %d and %d, want one", first.PID(), second.PID())
	}
	first.Leave(false)
	second.Leave(false)
	upstreamtest.UntilGone(t, first.PID())
	third, fourth := visit(time.Hour), visit(soon)
	third.Leave(false)
	fourth.Leave(false)
	last := visit(soon)
	if last.PID() != third.PID() {
		t.Errorf("process %d after all had left, want %d, which stays for an hour", last.PID(), third.PID())
	}
	last.Leave(true)
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

// A child or a holder that is killed is told of, a holder that is stopped too, and the next visit is at a new
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
	if err := syscall.Kill(parentOf(t, a.PID()), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-a.Exited
	<-b.Exited
	next := open(t, c, spec, a.ID)
	if next.PID() == a.PID() {
		t.Error("the child outlived its holder")
	}
	if _, err := Stop(t.Context(), c.Place); err != nil {
		t.Fatal(err)
	}
	<-next.Exited
	if !errors.Is(next.ExitCause(), ErrEnded) {
		t.Errorf("the end with a holder that was stopped: %v", next.ExitCause())
	}
	next.Leave(false)
}

// A question in the middle of a call goes to whose call it is. From then on calls of
// different guests go to the child one after another, so that it stays clear; when a
// guest goes, its question ends and the next call is let through.
func TestHolder_questions(t *testing.T) {
	c, spec := client(t)
	a, b := open(t, c, spec, 0), open(t, c, spec, 0)
	if said := a.ask(t, call("1", "ask")); !strings.Contains(said[0], "elicitation/create") {
		t.Fatalf("guest a got %q, want the question", said)
	}
	b.say(t, call("2", "ask"))
	b.say(t, `{"jsonrpc":"2.0","id":"ping","method":"ping"}`)
	if got := b.next(t); !strings.Contains(got, `"ping"`) {
		t.Errorf("guest b got %s, want the answer of what is no call, and no question", got)
	}
	b.say(t, `{"jsonrpc":"2.0","id":"question","result":{"by":"b"}}`) // b was asked nothing
	said := a.ask(t, `{"jsonrpc":"2.0","id":"question","result":{"by":"a"}}`)
	if !strings.Contains(said[0], `\"by\":\"a\"`) || !strings.Contains(said[0], `"running":1`) {
		t.Errorf("guest a got %q, want what it has answered, and its call alone", said)
	}
	if got := b.next(t); !strings.Contains(got, "elicitation/create") {
		t.Fatalf("guest b got %s, want its own question", got)
	}
	a.say(t, call("3", "echo"))
	a.say(t, call("4", "echo"))
	a.say(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"3"}}`)
	// Once this is answered, what a said before is known: b leaves by another connection.
	a.say(t, `{"jsonrpc":"2.0","id":"known","method":"ping"}`)
	if got := a.next(t); !strings.Contains(got, `"known"`) {
		t.Errorf("guest a got %s, want the answer of what is no call", got)
	}
	b.Leave(false)
	if got := a.next(t); !strings.Contains(got, `"id":"4"`) {
		t.Errorf("guest a got %s, want the answer of the call that it has not cancelled", got)
	}
	a.Leave(false)
}

// A cancellation names the request as the child knows it; that of a guest that goes
// is cancelled for it, and no other guest's.
func TestHolder_cancels(t *testing.T) {
	c, spec := client(t)
	a, b := open(t, c, spec, 0), open(t, c, spec, 0)
	a.say(t, call("7", "hang"))
	b.say(t, call("7", "hang"))
	a.say(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"7"}}`)
	one := a.ask(t, call("8", "cancelled"))
	if strings.Count(one[0], `\"`) != 0 || strings.Count(one[0], ",") != 2 {
		t.Errorf("guest a got %q, want one cancelled request", one)
	}
	b.Leave(false)
	for range 100 {
		if two := a.ask(t, call("9", "cancelled")); strings.Count(two[0], ",") == 3 {
			a.Leave(false)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("the call of a guest that has gone was not cancelled")
}

// A subscription is its guest's: the other hears nothing, a refusal is told to each,
// and the child is told of the end by the last alone.
func TestHolder_subscriptions(t *testing.T) {
	c, spec := client(t)
	a, b := open(t, c, spec, 0), open(t, c, spec, 0)
	about := func(method, uri string) string {
		return `{"jsonrpc":"2.0","id":"` + method + `","method":"resources/` + method + `","params":{"uri":"` + uri + `"}}`
	}
	for _, v := range []*visitor{a, b} {
		if said := v.ask(t, about("subscribe", "refused")); !strings.Contains(said[0], `"error"`) {
			t.Errorf("got %q, want the refusal", said)
		}
	}
	a.ask(t, about("subscribe", "it"))
	if said := b.ask(t, call("1", "touch")); len(said) != 1 {
		t.Errorf("guest b got %q, and has not subscribed", said)
	}
	if got := a.next(t); !strings.Contains(got, "updated") {
		t.Errorf("guest a got %s", got)
	}
	b.ask(t, call("2", "touch part"))
	if got := a.next(t); !strings.Contains(got, "it/part") {
		t.Errorf("guest a got %s of a part of what it has subscribed to", got)
	}
	b.ask(t, about("subscribe", "it"))
	if said := a.ask(t, about("unsubscribe", "it")); strings.Contains(said[0], "method") {
		t.Errorf("the child was told %q while another guest is subscribed", said)
	}
	if said := b.ask(t, about("unsubscribe", "it")); !strings.Contains(said[0], "resources/unsubscribe") {
		t.Errorf("got %q, want the child's own answer", said)
	}
	a.Leave(false)
	b.Leave(false)
}

// Where a child is asked to announce by a request that listens, each guest hears
// what its own one brings, under its own id; and the child stays for the next one
// though there was no handshake.
func TestHolder_listening(t *testing.T) {
	c, spec := client(t)
	spec.Modern = true
	visit := func() *visitor {
		child, err := c.Open(t.Context(), &Wanted{Spec: spec, Client: t.Name(), Idle: time.Minute}, t.Output())
		if err != nil {
			t.Fatal(err)
		}
		v := &visitor{child, bufio.NewScanner(child.Stdout)}
		v.ask(t, `{"jsonrpc":"2.0","id":"hello","method":"server/discover","params":{}}`)
		return v
	}
	a, b := visit(), visit()
	for _, v := range []*visitor{a, b} {
		v.say(t, `{"jsonrpc":"2.0","id":"mine","method":"subscriptions/listen","params":{}}`)
		v.ask(t, call("0", "echo")) // it has come by now
	}
	said := b.ask(t, call("1", "announce"))
	if got := a.next(t); len(said) != 2 || !strings.Contains(said[0], `"mine"`) || !strings.Contains(got, `"mine"`) {
		t.Errorf("guest a got %s, guest b %q; want one announcement each, of what it listens to", got, said)
	}
	a.Leave(false)
	b.Leave(false)
	again := visit()
	if again.PID() != a.PID() {
		t.Errorf("process %d after all had left, want %d", again.PID(), a.PID())
	}
	again.Leave(true)
}

// Messages that come together are those that come one by one.
func TestHolder_batches(t *testing.T) {
	c, spec := client(t)
	a, b := open(t, c, spec, 0), open(t, c, spec, 0)
	a.say(t, `[`+call("1", "batch")+`,`+call("2", "echo")+`]`)
	if one, two := a.next(t), a.next(t); !strings.Contains(one+two, `"id":"1"`) || !strings.Contains(one+two, `"id":"2"`) {
		t.Errorf("got %s and %s", one, two)
	}
	if said := b.ask(t, call("1", "batch")); !strings.Contains(said[0], `"batch":true`) {
		t.Errorf("got %q", said)
	}
	a.Leave(false)
	b.Leave(false)
}

// A guest that comes back to a child that works gets the same one; the user's restart
// ends it for all.
func TestHolder_again(t *testing.T) {
	c, spec := client(t)
	a, b := open(t, c, spec, 0), open(t, c, spec, 0)
	_ = a.conn.Close()
	<-a.Exited
	if again := open(t, c, spec, a.ID); again.PID() != b.PID() {
		t.Error("a guest that has lost its connection got another child")
	}
	fresh, err := c.Open(t.Context(), &Wanted{Spec: spec, Not: b.ID, Fresh: true, Idle: time.Minute}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	if fresh.PID() == b.PID() {
		t.Error("the child was not started anew")
	}
	<-b.Exited
}

// A newer holder takes the place over: calls under way are answered by the earlier
// one, which ends after its last guest.
func TestHolder_newer(t *testing.T) {
	c, spec := client(t)
	a := open(t, c, spec, 0)
	a.ask(t, call("1", "ask"))
	conn, err := socket.Dial(c.Place, "")
	if err != nil {
		t.Fatal(err)
	}
	answer, err := greet(t.Context(), conn, bufio.NewReader(conn), hello{Revision: revision + 1, Do: doOpen, Spec: spec})
	if err != nil || !answer.Leaving {
		t.Fatalf("%+v, %v; want that it leaves", answer, err)
	}
	_ = conn.Close()
	b := open(t, c, spec, 0)
	if b.PID() == a.PID() {
		t.Error("the holder that leaves has taken a guest in")
	}
	if said := a.ask(t, `{"jsonrpc":"2.0","id":"question","result":{}}`); !strings.Contains(said[0], `"id":"1"`) {
		t.Errorf("got %q, want the answer of the call that was under way", said)
	}
	b.Leave(false)
	a.Leave(false)
	upstreamtest.UntilGone(t, a.PID())
}

// A socket that a killed holder has left, a place that cannot be made and a program
// that does not start are no reason to hang.
func TestHolder_places(t *testing.T) {
	c, spec := client(t)
	a := open(t, c, spec, 0)
	processes, err := List(t.Context(), c.Place)
	if err != nil || len(processes) != 1 || processes[0].PID != a.PID() || len(processes[0].Clients) != 1 {
		t.Errorf("%+v, %v", processes, err)
	}
	for _, pid := range []int{parentOf(t, a.PID())} {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	<-a.Exited
	b := open(t, c, spec, a.ID) // in the place of the stale socket
	b.Leave(true)
	file := t.TempDir() + "/file"
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	bad := Client{Place: socket.Place{Environ: func(string) (string, bool) { return file, true }}, Command: func() (*exec.Cmd, error) {
		return exec.Command("false"), nil
	}}
	if _, err := bad.Open(t.Context(), &Wanted{Spec: spec, Idle: time.Minute}, t.Output()); err == nil {
		t.Error("a holder without a place has let a guest in")
	}
	none := spec
	none.Path = "/nowhere"
	if _, err := c.Open(t.Context(), &Wanted{Spec: none, Idle: time.Minute}, t.Output()); err == nil || !strings.Contains(err.Error(), "/nowhere") {
		t.Errorf("%v; want why the program does not start", err)
	}
	moved := spec
	moved.Dir = t.TempDir() + "/gone"
	if _, err := c.Open(t.Context(), &Wanted{Spec: moved, Idle: time.Minute}, t.Output()); err == nil {
		t.Error("a child runs in a folder that is not there")
	}
}

// A guest that leaves while the child starts leaves nothing behind, and one that
// comes then is served. A holder that has slept goes on.
func TestHolder_sleeps(t *testing.T) {
	c, spec := client(t)
	child, err := c.Open(t.Context(), &Wanted{Spec: spec, Idle: time.Minute}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	child.Leave(false) // before it has said hello
	upstreamtest.UntilGone(t, child.PID())
	a := open(t, c, spec, child.ID)
	holder := parentOf(t, a.PID())
	for _, signal := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
		for _, pid := range []int{holder, a.PID()} {
			if err := syscall.Kill(pid, signal); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	if said := a.ask(t, call("1", "echo")); !strings.Contains(said[0], `"pid"`) {
		t.Errorf("got %q after the sleep", said)
	}
	a.Leave(false)
}

// parentOf returns the process that has started another.
func parentOf(t *testing.T, pid int) int {
	t.Helper()
	out, err := exec.Command("ps", "-o", "ppid=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		t.Fatal(err)
	}
	parent, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	return parent
}

// A hundred guests come and go for a while, some without a word and some in the
// middle of a call. Each gets its own answers, and nothing is left in the end.
func TestHolder_soak(t *testing.T) {
	c, spec := client(t)
	var seen sync.Map // of process ids
	var visits, calls atomic.Int64
	first := open(t, c, spec, 0)
	holder := parentOf(t, first.PID())
	until := time.Now().Add(*soak)
	var guests sync.WaitGroup
	for i := range 100 {
		guests.Go(func() {
			for time.Now().Before(until) && !t.Failed() {
				theirs := spec
				theirs.Scope = []string{fmt.Sprint(i % 4)}
				child, err := c.Open(t.Context(), &Wanted{Spec: theirs, Idle: 50 * time.Millisecond}, t.Output())
				if err != nil {
					t.Errorf("guest %d: %v", i, err)
					return
				}
				seen.Store(child.PID(), true)
				visits.Add(1)
				v := &visitor{child, bufio.NewScanner(child.Stdout)}
				v.say(t, `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{}}`)
				if rand.IntN(4) > 0 {
					v.next(t)
					for n := range rand.IntN(20) {
						id := fmt.Sprintf("%d of %d", n, i)
						v.say(t, call(id, "echo"))
						if got := v.next(t); !strings.Contains(got, `"`+id+`"`) {
							t.Errorf("guest %d got %s", i, got)
						}
						calls.Add(1)
					}
				}
				switch rand.IntN(3) {
				case 0:
					v.say(t, call("last", "echo"))
					_ = child.conn.Close()
				default:
					child.Leave(rand.IntN(2) == 0)
				}
				time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
			}
		})
	}
	guests.Wait()
	first.Leave(true)
	if _, err := Stop(t.Context(), c.Place); err != nil {
		t.Error(err)
	}
	processes := 0
	seen.Range(func(pid, _ any) bool {
		processes++
		upstreamtest.UntilGone(t, pid.(int))
		return true
	})
	upstreamtest.UntilGone(t, holder)
	t.Logf("%d visits, %d calls, %d processes one after another", visits.Load(), calls.Load(), processes)
}
