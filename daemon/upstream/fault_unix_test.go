//go:build unix

package upstream

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/daemon/upstream/wire"
)

// neighbour is a healthy server that runs beside every misbehaving one, and
// must not notice.
const neighbour = "neighbour"

// beside starts a misbehaving server and its neighbour.
func beside(t *testing.T, s upstreamtest.Script, tune func(*Config)) *Manager {
	t.Helper()
	m := newTestManager(t, Options{})
	bad := scriptedConfig(t, "bad", s)
	bad.StartTimeout, bad.Timeout = patienceForTests, patienceForTests
	if tune != nil {
		tune(&bad)
	}
	apply(t, m, bad, scriptedConfig(t, neighbour, upstreamtest.Script{}))
	t.Cleanup(func() {
		if got := call(t, m, neighbour, "echo", `{"text":"still here"}`); !strings.Contains(firstText(t, got), "still here") {
			t.Errorf("the neighbour answered %s", got.Raw)
		}
	})
	return m
}

func gone(pid int) bool {
	// A zombie that its new parent has not reaped yet is dead for us.
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err == nil && strings.Contains(string(stat), ") Z ") {
		return true
	}
	return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

// TestFault_NeverAnswers: the attempt ends after the start timeout with words
// that say so, and the process is gone.
func TestFault_NeverAnswers(t *testing.T) {
	t.Parallel()
	started := upstreamtest.Listen(t)
	m := beside(t, upstreamtest.Script{Ignore: []string{"initialize", "server/discover"}, PIDFile: started.Address()},
		func(c *Config) { c.StartTimeout = 3 * time.Second })
	// On a busy machine an attempt may end before its process has said anything.
	started.Until("a process", func(text string) bool { return text != "" })
	first := parsePIDs(t, started.Text())[0]
	s := waitState(t, m, "bad", Failed)
	if want := "it did not answer within 3s"; s.Status.Error != want {
		t.Errorf("error %q, want %q", s.Status.Error, want)
	}
	if s.Status.RetryAt.IsZero() {
		t.Error("it is not tried again")
	}
	if !gone(first) {
		t.Errorf("process %d still runs", first)
	}
}

// TestFault_ExitsAtInitialize: the error begins with the cause that the server
// prints, and the exit code is behind it.
func TestFault_ExitsAtInitialize(t *testing.T) {
	t.Parallel()
	m := beside(t, upstreamtest.Script{ExitOn: "initialize", LastWords: "Error: API_KEY is not set"}, nil)
	s := waitState(t, m, "bad", Failed)
	if want := "API_KEY is missing: Error: API_KEY is not set (printed before it exited: exit status 3)"; s.Status.Error != want {
		t.Errorf("error %q, want %q", s.Status.Error, want)
	}
	if want := `Give API_KEY a value under "env" of the server's entry.`; s.Status.Next != want {
		t.Errorf("next step %q, want %q", s.Status.Next, want)
	}
	_, err := tryCall(t, m, "bad", "echo", "")
	var unavailable *UnavailableError
	if !errors.As(err, &unavailable) || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("call answered %v, want the cause", err)
	}
}

// TestFault_ExitsAtOnce: the second attempt, which begins with the other era,
// names the cause too.
func TestFault_ExitsAtOnce(t *testing.T) {
	t.Parallel()
	m := newTestManager(t, Options{})
	apply(t, m, Config{Name: "bad", Transport: wire.Stdio, Command: "sh", Args: []string{"-c", "echo no database >&2; exit 1"}})
	for generation := range uint64(2) {
		s := waitFor(t, m, "bad", "the end of an attempt", func(s ServerSnapshot) bool {
			return s.Status.State == Failed && s.Status.Generation > generation
		})
		if want := "no database (printed before it exited: exit status 1)"; s.Status.Error != want {
			t.Errorf("attempt %d: %q, want %q", s.Status.Generation, s.Status.Error, want)
		}
	}
}

// TestFault_ExitsInACall: the call fails with the cause, the tools stay
// listed in their order, and the server is started again.
func TestFault_ExitsInACall(t *testing.T) {
	t.Parallel()
	m := beside(t, upstreamtest.Script{LastWords: "panic: out of cheese"}, nil)
	before := waitState(t, m, "bad", Ready)
	_, err := tryCall(t, m, "bad", "exit", "")
	var unavailable *UnavailableError
	if !errors.As(err, &unavailable) || !strings.Contains(err.Error(), "out of cheese") {
		t.Fatalf("call answered %v, want the cause of the death", err)
	}
	// It may be back before anybody looks.
	dead := waitFor(t, m, "bad", "the end of its first life", func(s ServerSnapshot) bool {
		return s.Status.State == Failed || s.Status.Generation > before.Status.Generation
	})
	if !slices.Equal(toolNames(dead), toolNames(before)) {
		t.Errorf("tools are %v after the death, were %v", toolNames(dead), toolNames(before))
	}
	again := waitFor(t, m, "bad", "a second life", func(s ServerSnapshot) bool {
		return s.Status.State == Ready && s.Status.Generation > before.Status.Generation
	})
	if again.Status.PID == before.Status.PID {
		t.Error("the second life has the first one's process id")
	}
	call(t, m, "bad", "echo", `{}`)
}

// TestFault_FloodsStderr: neither the start nor a call waits for a reader of
// stderr, and the log is bounded.
func TestFault_FloodsStderr(t *testing.T) {
	t.Parallel()
	m := beside(t, upstreamtest.Script{FloodStderr: 8 << 20}, nil)
	waitState(t, m, "bad", Ready)
	call(t, m, "bad", "echo", `{}`)
	log, err := m.Log("bad")
	const limit = 64 << 10
	if err != nil || len(log) > limit || len(log) < limit/2 {
		t.Errorf("log of %d bytes (%v), want at most %d", len(log), err, limit)
	}
}

// TestFault_StdoutNoise: banners and stray JSON before and between messages,
// some with the id of a call, some on the line of an answer.
func TestFault_StdoutNoise(t *testing.T) {
	t.Parallel()
	m := beside(t, upstreamtest.Script{
		Before: []string{"Starting server...", "", `{"level":30,"msg":"listening","id":1}`, "\xef\xbb\xbf{}", `[1,2]`, `"x"`, `{"jsonrpc":"2.0"`},
		Between: []string{
			"a request came in", `{"level":"info","id":2,"result":"not for you"}`, `{"jsonrpc":"2.0","id":3}`,
			`{"jsonrpc":"1.0","id":3,"result":{}}`, "null", strings.Repeat("=", 100_000),
		},
		NoNewline: "prompt> ",
	}, nil)
	s := waitState(t, m, "bad", Ready)
	if len(s.Tools) != len(upstreamtest.StandardTools()) {
		t.Errorf("%d tools", len(s.Tools))
	}
	if got := firstText(t, call(t, m, "bad", "echo", `{"text":"<&>"}`)); got != `{"text":"<&>"}` && !strings.Contains(got, "u003c") {
		t.Errorf("echo answered %s", got)
	}
	log, err := m.Log("bad")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"[stdout] Starting server...", `[stdout] {"level":30`, "[stdout] prompt>", "[stdout] a request came in"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not keep %q:\n%.2000s", want, log)
		}
	}
}

// TestFault_DuplicateNames: the first of a name is used, and it is said.
func TestFault_DuplicateNames(t *testing.T) {
	t.Parallel()
	m := beside(t, upstreamtest.Script{Tools: []string{
		`{"name":"echo","description":"first"}`, `{"name":"other"}`, `{"name":"echo","description":"second"}`, `{"name":"echo"}`,
	}}, nil)
	s := waitState(t, m, "bad", Ready)
	if got := toolNames(s); !slices.Equal(got, []string{"echo", "other"}) {
		t.Errorf("tools %v", got)
	}
	if string(s.Tools[0].Raw) != `{"name":"echo","description":"first"}` {
		t.Errorf("kept %s", s.Tools[0].Raw)
	}
	if len(s.Status.Warnings) == 0 || !strings.Contains(s.Status.Warnings[0], `"echo" is listed more than once`) {
		t.Errorf("warnings %q", s.Status.Warnings)
	}
}

// TestFault_OldVersion: a server of 2024-11-05 works.
func TestFault_OldVersion(t *testing.T) {
	t.Parallel()
	m := beside(t, upstreamtest.Script{Version: "2024-11-05"}, nil)
	if s := waitState(t, m, "bad", Ready); s.Status.ProtocolVersion != "2024-11-05" {
		t.Errorf("version %q", s.Status.ProtocolVersion)
	}
	call(t, m, "bad", "echo", `{}`)
}

// TestFault_UnknownVersion: a version from nowhere is named in the error.
func TestFault_UnknownVersion(t *testing.T) {
	t.Parallel()
	m := beside(t, upstreamtest.Script{Version: "1999-12-31"}, nil)
	if s := waitState(t, m, "bad", Failed); !strings.Contains(s.Status.Error, "1999-12-31") {
		t.Errorf("error %q", s.Status.Error)
	}
}

// TestFault_HugeMessage: a message of 100 MB fails its call at once, with
// words, and the server goes on.
func TestFault_HugeMessage(t *testing.T) {
	t.Parallel()
	for _, args := range []string{`{"bytes":100000000}`, `{"bytes":40000000,"idLast":true}`} {
		m := beside(t, upstreamtest.Script{}, nil)
		before := waitState(t, m, "bad", Ready)
		_, err := tryCall(t, m, "bad", "big", args)
		var rpc *RPCError
		if !errors.As(err, &rpc) || rpc.Code != -32050 || !strings.Contains(err.Error(), "more than the 33554432") {
			t.Errorf("call answered %v", err)
		}
		call(t, m, "bad", "echo", `{}`)
		if after, _ := m.Snapshot().Server("bad"); after.Status.Generation != before.Status.Generation {
			t.Error("the server was started again")
		}
	}
}

// TestFault_EndlessPages: listing stops at the limit, or at a cursor that does
// not move.
func TestFault_EndlessPages(t *testing.T) {
	t.Parallel()
	m := beside(t, upstreamtest.Script{EndlessPages: true}, nil)
	s := waitState(t, m, "bad", Ready)
	if len(s.Tools) != 200 || len(s.Status.Warnings) != 1 || !strings.Contains(s.Status.Warnings[0], "more than 200 pages") {
		t.Errorf("%d tools, warnings %q", len(s.Tools), s.Status.Warnings)
	}
	m = beside(t, upstreamtest.Script{SameCursor: true}, nil)
	s = waitState(t, m, "bad", Ready)
	if len(s.Status.Warnings) == 0 || !slices.ContainsFunc(s.Status.Warnings, func(w string) bool { return strings.Contains(w, "repeats the cursor") }) {
		t.Errorf("warnings %q", s.Status.Warnings)
	}
}

// TestFault_OddTools: what is strange about a tool is kept byte for byte and
// is nobody's problem here; what is no tool costs only itself.
func TestFault_OddTools(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 300)
	odd := []string{
		`{"name":"` + long + `","inputSchema":{"type":"object"}}`,
		`{"name":"get-user"}`, `{"name":"get_user"}`, `{"name":"Get_User"}`, `{"name":"get user"}`,
		`{"name":"refs","inputSchema":{"$schema":"x","type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"oneOf":[{"type":"string"},{"type":"null"}]}}}}`,
		`{"name":"oneOf","inputSchema":{"oneOf":[{"type":"object"},{"type":"array"}],"x-vendor":1e400}}`,
		`{"name":"invalid","inputSchema":{"type":"banana","required":"all","properties":[1]}}`,
		`{ "name" : "spaced" ,  "inputSchema":null, "n":12345678901234567890.000 }`,
		`{"name":"\u0065scaped","title":"\u003c<"}`,
	}
	notTools := []string{`null`, `17`, `"text"`, `{"description":"no name"}`, `{"name":7}`, `[]`}
	m := beside(t, upstreamtest.Script{Tools: append(slices.Clone(odd), notTools...), PageSize: 4}, nil)
	s := waitState(t, m, "bad", Ready)
	if len(s.Tools) != len(odd) {
		t.Fatalf("%d tools, want %d: %q", len(s.Tools), len(odd), toolNames(s))
	}
	for i, tool := range s.Tools {
		if string(tool.Raw) != odd[i] {
			t.Errorf("tool %d is\n%s, was sent as\n%s", i, tool.Raw, odd[i])
		}
	}
	if s.Tools[0].Name != long || s.Tools[9].Name != "escaped" {
		t.Errorf("names %q", toolNames(s))
	}
	if len(s.Status.Warnings) != 1 || !strings.Contains(s.Status.Warnings[0], "6 entries") {
		t.Errorf("warnings %q", s.Status.Warnings)
	}
}

// TestFault_ChangesToolsAllTheTime: calls go through, the list follows, and
// the snapshot is not renewed a hundred times a second.
func TestFault_ChangesToolsAllTheTime(t *testing.T) {
	t.Parallel()
	m := beside(t, upstreamtest.Script{ChangeEvery: 10 * time.Millisecond}, nil)
	first := waitState(t, m, "bad", Ready)
	version, began := m.Snapshot().Version, time.Now()
	waitFor(t, m, "bad", "a later list", func(s ServerSnapshot) bool {
		return !slices.Equal(toolNames(s), toolNames(first)) && time.Since(began) > patience
	})
	took := time.Since(began)
	if renewed := m.Snapshot().Version - version; float64(renewed) > 10*took.Seconds() {
		t.Errorf("%d snapshots in %s", renewed, took)
	}
	call(t, m, "bad", "echo", `{}`)
}

// TestFault_Grandchild: what a server has started dies with it, in its group
// or in a session of its own, whether the server is stopped or exits.
func TestFault_Grandchild(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"group", "detached"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			file := tempFile(t, "pids")
			m := beside(t, upstreamtest.Script{Grandchild: kind, PIDFile: file, Stubborn: true}, nil)
			waitState(t, m, "bad", Ready)
			family := pids(t, file)
			if err := m.Stop("bad"); err != nil {
				t.Fatal(err)
			}
			waitState(t, m, "bad", Stopped)
			upstreamtest.UntilGone(t, family...)
		})
	}
	t.Run("orphaned", func(t *testing.T) {
		t.Parallel()
		file := tempFile(t, "pids")
		m := beside(t, upstreamtest.Script{Grandchild: "group", PIDFile: file}, nil)
		waitState(t, m, "bad", Ready)
		family := pids(t, file)
		_, err := tryCall(t, m, "bad", "exit", "")
		if err == nil {
			t.Error("the call in which the server exits has an answer")
		}
		upstreamtest.UntilGone(t, family...)
	})
}

// TestFault_DiscoverIgnoredOrFatal: servers that do not answer, or exit on,
// the first message of 2026-07-28 are started without a delay: it is not sent.
func TestFault_DiscoverIgnoredOrFatal(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]upstreamtest.Script{
		"ignores": {Ignore: []string{"server/discover"}},
		"exits":   {ExitOn: "server/discover"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script.ReceivedFile = tempFile(t, "received")
			m := beside(t, script, nil)
			s := waitState(t, m, "bad", Ready)
			if s.Status.Era != wire.EraLegacy || s.Status.Generation != 1 {
				t.Errorf("era %q in attempt %d", s.Status.Era, s.Status.Generation)
			}
			received, err := os.ReadFile(script.ReceivedFile)
			if err != nil || strings.Contains(string(received), "server/discover") {
				t.Errorf("the server got (%v):\n%s", err, received)
			}
		})
	}
}

// TestFault_StopsReading: a call to a server that has stopped reading ends, even with
// arguments that fill the pipe; the server is given up and started again.
// (TestConn_StopsReading checks the times.)
func TestFault_StopsReading(t *testing.T) {
	t.Parallel()
	m := beside(t, upstreamtest.Script{StopReadingAfter: "tools/list"}, func(c *Config) { c.Timeout = 300 * time.Millisecond })
	first := waitState(t, m, "bad", Ready)
	large, err := json.Marshal(map[string]string{"text": strings.Repeat("x", 1<<20)})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Call(t.Context(), CallRequest{Server: "bad", Tool: "echo", Arguments: large})
	if !errors.As(err, new(*TimeoutError)) {
		t.Errorf("call answered %v", err)
	}
	waitFor(t, m, "bad", "being given up", func(s ServerSnapshot) bool {
		return s.Status.Generation > first.Status.Generation || strings.Contains(s.Status.Error, "stopped reading")
	})
}

// TestFault_Timeout: a tool that takes too long ends, the server is told, and
// nothing else is disturbed.
func TestFault_Timeout(t *testing.T) {
	t.Parallel()
	received := upstreamtest.Listen(t)
	m := newTestManager(t, Options{})
	bad, other := scriptedConfig(t, "bad", upstreamtest.Script{ReceivedFile: received.Address()}), scriptedConfig(t, neighbour, upstreamtest.Script{})
	bad.Timeout = 200 * time.Millisecond
	apply(t, m, bad, other)
	before := waitState(t, m, "bad", Ready)
	_, err := tryCall(t, m, "bad", "sleep", `{"ms":3600000}`)
	var timeout *TimeoutError
	if !errors.As(err, &timeout) || !strings.Contains(err.Error(), "within 200ms") {
		t.Errorf("call answered %v", err)
	}
	bad.Timeout = patienceForTests // for the others a busy machine may take longer
	apply(t, m, bad, other)
	for _, name := range []string{"bad", neighbour} {
		call(t, m, name, "echo", `{}`)
	}
	if after, _ := m.Snapshot().Server("bad"); after.Status.Generation != before.Status.Generation {
		t.Error("the server was started again")
	}
	expectCancelled(received)
}

// TestFault_HangsAtTheEnd: a manager whose servers ignore a closed stdin and
// SIGTERM is closed within two seconds all the same. It measures time, so it
// is not parallel to anything, and the best of ten counts: the machine may be
// busy with something else.
func TestFault_HangsAtTheEnd(t *testing.T) {
	const limit = 2 * time.Second
	best := time.Hour
	for range 10 {
		if best = min(best, closeStubborn(t)); best < limit {
			return
		}
	}
	t.Errorf("closing took %s, want less than %s", best, limit)
}

// closeStubborn returns how long it takes to close a manager with three
// servers that do not want to end, one of them in the middle of its start.
func closeStubborn(t *testing.T) time.Duration {
	t.Helper()
	m := NewManager(Options{})
	started := upstreamtest.Listen(t)
	stubborn := upstreamtest.Script{Stubborn: true, PIDFile: started.Address()}
	starting := stubborn
	starting.Ignore = []string{"initialize"}
	apply(t, m, scriptedConfig(t, "a", stubborn), scriptedConfig(t, "b", stubborn), scriptedConfig(t, "starting", starting))
	waitState(t, m, "a", Ready)
	waitState(t, m, "b", Ready)
	started.Until("three processes", func(text string) bool { return len(strings.Fields(text)) == 3 })
	began := time.Now()
	closeManager(t, m)
	took := time.Since(began)
	for _, pid := range parsePIDs(t, started.Text()) {
		if !gone(pid) {
			t.Errorf("process %d still runs", pid)
		}
	}
	return took
}
