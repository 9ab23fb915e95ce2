package upstreamtest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"time"
)

// scripted is a running scripted server.
type scripted struct {
	Script
	// mu guards out, generation, cancelled and stopped.
	mu         sync.Mutex
	out        *bufio.Writer
	generation int
	cancelled  map[string]chan struct{}
	woken      chan struct{} // closed by the tool wake
	stopped    bool
	// calls counts the calls under way.
	calls sync.WaitGroup
}

// message is one JSON-RPC message from the client.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name            string          `json:"name"`
		Cursor          string          `json:"cursor"`
		Arguments       json.RawMessage `json:"arguments"`
		ProtocolVersion string          `json:"protocolVersion"`
		RequestID       json.RawMessage `json:"requestId"`
		Meta            struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`
}

func serve(script Script) {
	s := &scripted{Script: script, out: bufio.NewWriter(os.Stdout), cancelled: map[string]chan struct{}{}, woken: make(chan struct{})}
	if s.Stubborn {
		signal.Ignore(terminate()...)
	}
	s.spawn()
	time.Sleep(s.StartDelay)
	for _, line := range s.Before {
		s.print(line)
	}
	s.flood()
	if s.ChangeEvery > 0 {
		go s.keepChanging()
	}
	s.read()
	if s.Stubborn {
		time.Sleep(time.Hour)
	}
}

// read handles messages until stdin is closed.
func (s *scripted) read() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		s.record(line)
		var m message
		if json.Unmarshal(line, &m) == nil {
			s.handle(m)
		}
		s.mu.Lock()
		stopped := s.stopped
		s.mu.Unlock()
		if stopped {
			time.Sleep(time.Hour)
		}
	}
}

func (s *scripted) handle(m message) {
	if s.ExitOn != "" && s.ExitOn == m.Method && s.exitsNow() {
		s.exit()
	}
	if slices.Contains(s.Ignore, m.Method) {
		return
	}
	key := m.Method
	if m.Method == "tools/call" {
		key += " " + m.Params.Name
	}
	if said := s.Says[key]; said != nil {
		s.print(string(said))
	}
	if reply := s.Replies[key]; reply != nil {
		s.print(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, m.ID, reply))
		return
	}
	switch {
	case m.Method == "":
		// A response of the client.
	case m.Method == "notifications/cancelled":
		s.cancel(m.Params.RequestID)
	case m.ID == nil:
	case m.Method == "initialize" && !s.Modern:
		version := m.Params.ProtocolVersion
		if s.Version != "" {
			version = s.Version
		}
		s.answer(m, fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{"listChanged":true}},`+
			`"serverInfo":{"name":"scripted","version":"1"},"instructions":"Follow the script."}`, version))
	case m.Method == "server/discover" && s.Modern:
		s.answer(m, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},`+
			`"instructions":"Follow the script.","ttlMs":0,"cacheScope":"private"}`)
	case m.Method == "subscriptions/listen" && s.Modern:
		// The stream stays open until the client closes it.
	case m.Method == "ping":
		s.answer(m, `{}`)
	case m.Method == "tools/list":
		s.answer(m, s.list(m.Params.Cursor))
	case m.Method == "tools/call":
		ended := s.begin(m.ID)
		s.calls.Go(func() { s.call(m, ended) })
	default:
		s.print(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found: %s"}}`, m.ID, m.Method))
	}
	if s.StopReadingAfter != "" && s.StopReadingAfter == m.Method {
		s.mu.Lock()
		s.stopped = true
		s.mu.Unlock()
	}
}

// exitsNow reports whether to follow ExitOn.
func (s *scripted) exitsNow() bool {
	if s.ExitOnceFile == "" {
		return true
	}
	f, err := os.OpenFile(s.ExitOnceFile, os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return false
	}
	return f.Close() == nil
}

func (s *scripted) exit() {
	if s.LastWords != "" {
		_, _ = fmt.Fprintln(os.Stderr, s.LastWords)
	}
	// A test binary built for coverage would print a line at its exit.
	_ = os.Stderr.Close()
	os.Exit(3)
}

// list returns one page of tools.
func (s *scripted) list(cursor string) string {
	tools := s.tools()
	start := 0
	if _, err := fmt.Sscanf(cursor, "from-%d", &start); err != nil {
		start = 0
	}
	if s.EndlessPages {
		return fmt.Sprintf(`{"tools":[{"name":"endless_%d","inputSchema":{"type":"object"}}],"nextCursor":"from-%d"}`, start, start+1)
	}
	end := len(tools)
	next := ""
	if s.PageSize > 0 && start+s.PageSize < end {
		end = start + s.PageSize
		next = fmt.Sprintf(`,"nextCursor":"from-%d"`, end)
	}
	if s.SameCursor {
		next = `,"nextCursor":"again"`
	}
	return `{"tools":[` + strings.Join(tools[min(start, end):end], ",") + `]` + next + `}`
}

func (s *scripted) tools() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	tools := s.Tools
	if tools == nil {
		tools = StandardTools()
	}
	if s.generation > 0 {
		tools = append(slices.Clone(tools), fmt.Sprintf(`{"name":"generation_%d","inputSchema":{"type":"object"}}`, s.generation))
	}
	return tools
}

func (s *scripted) keepChanging() {
	for range time.Tick(s.ChangeEvery) {
		s.mu.Lock()
		s.generation++
		s.mu.Unlock()
		s.print(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	}
}

// answer sends a result, preceded by the script's noise.
func (s *scripted) answer(m message, result string) {
	for _, line := range s.Between {
		s.print(line)
	}
	s.flood()
	s.print(s.NoNewline + fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result))
}

func (s *scripted) print(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.out.WriteString(line)
	_ = s.out.WriteByte('\n')
	_ = s.out.Flush()
}

func (s *scripted) flood() {
	const line = "a line of the flood that fills a pipe which nobody reads\n"
	for n := 0; n < s.FloodStderr; n += len(line) {
		_, _ = os.Stderr.WriteString(line)
	}
}

// record writes a message to ReceivedFile.
func (s *scripted) record(line []byte) {
	if s.ReceivedFile != "" {
		note(s.ReceivedFile, line)
	}
}

// spawn starts the grandchild and writes the process ids to PIDFile.
func (s *scripted) spawn() {
	pids := fmt.Sprintln(os.Getpid())
	switch s.Grandchild {
	case "":
	case orphaned:
		pids += spawnOrphan()
	case "bare":
		pids += spawnBare()
	default:
		self, err := os.Executable()
		if err != nil {
			panic(err)
		}
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), idleVariable+"=1", scriptVariable+"=")
		// It inherits the server's pipes, as in careless programs.
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if s.Grandchild == "detached" {
			detach(cmd)
		}
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		pids += fmt.Sprintln(cmd.Process.Pid)
	}
	if s.PIDFile != "" {
		note(s.PIDFile, []byte(pids))
	}
}

// startIdle starts an idle process in a session of its own that outlives its parent, and
// returns its process id.
func startIdle() int {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), idleVariable+"=1")
	detach(cmd)
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	return cmd.Process.Pid
}

// spawnOrphan starts an idle process through a parent that exits, and returns its process
// id.
func spawnOrphan() string {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), idleVariable+"="+orphaned, scriptVariable+"=")
	pid, err := cmd.Output()
	if err != nil {
		panic(err)
	}
	return string(pid)
}

// spawnBare starts a process that cannot be traced back: in a session of its own, without
// an environment, with its parent gone.
func spawnBare() string {
	pid, err := exec.Command("/bin/sh", "-c", "env -i setsid sleep 3600 </dev/null >/dev/null 2>&1 & echo $!").Output()
	if err != nil {
		panic(err)
	}
	return string(pid)
}

func appendFile(name string, data []byte) {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	if _, err := f.Write(data); err != nil {
		panic(err)
	}
	if err := f.Close(); err != nil {
		panic(err)
	}
}
