package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/team/pg"
	"github.com/winnow-mcp/winnow/daemon/team/pg/pgtest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// asCommand makes the test's binary the command itself.
const asCommand = "WINNOWTEAM_TEST_COMMAND"

var cluster *pgtest.Cluster

func TestMain(m *testing.M) {
	upstreamtest.Main()
	if os.Getenv(asCommand) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(pgtest.Main(m, &cluster))
}

const resource = "https://team.example/mcp"

// fixture is a team: replicas behind haproxy on one schema, and a server.
type fixture struct {
	t        *testing.T
	env      []string
	store    *pg.Store
	provider *upstreamtest.AuthServer
	tokens   map[string]string
	// users are more of those who have one.
	users []string
	// level is what replicas log; empty is debug. schema is that of the tables.
	level, schema string
	// program is run; empty is this one.
	program string
	// more are further servers of the winnow.json, each after a comma.
	more string
	// dir has the files that are applied.
	dir string
	// teamFile is the team.json; empty is none.
	teamFile string
	// flags are more of those of each replica.
	flags    []string
	server   *counted
	replicas []*replica
	balancer string
}

// replica is a running `winnowteam serve`.
type replica struct {
	cmd     *exec.Cmd
	address string
	metrics string
	log     *lockedBuffer
}

// lockedBuffer is what a process has printed.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) add(line string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text.WriteString(line + "\n")
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// counted is an MCP server over HTTP that counts the calls of its tools by their
// argument `id`.
type counted struct {
	*httptest.Server

	mu sync.Mutex
	// tools are those that it has; lists counts how often it was asked for them, and
	// changed is closed when they change.
	tools   []string
	lists   int
	changed chan struct{}
	// listed, which may be nil, is called before such a request is answered.
	listed func()
	// calls counts by id; called is told of each before it is answered, and may be
	// nil.
	calls  map[string]int
	called func(id string)
	// parents are the header and the member of `_meta` that name the trace of each call.
	parents map[string][2]string
	// takes, which may be nil, reports whether a call with a token is taken; no other
	// request needs one, and without takes none may have any.
	takes func(token, id string) bool
}

func (c *counted) count(id string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls[id]
}

// holds makes the server's call with an id wait until it is released; begun is closed when
// it has come. There may be one such call, and one release.
func (c *counted) holds(id string) (begun <-chan struct{}, release func()) {
	came, free := make(chan struct{}), make(chan struct{})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.called = func(called string) {
		if called == id {
			close(came)
			<-free
		}
	}
	return came, func() {
		close(free)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.called = nil
	}
}

// change changes the tools, and tells all who listen.
func (c *counted) change(tools ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tools = tools
	close(c.changed)
	c.changed = make(chan struct{})
}

// announce is the stream of changes, until the client ends it.
func (c *counted) announce(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	c.mu.Lock()
	changed := c.changed
	c.mu.Unlock()
	for {
		w.(http.Flusher).Flush()
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
		c.mu.Lock()
		changed = c.changed
		c.mu.Unlock()
		_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`+"\n\n")
	}
}

func tool(name, description, annotations string) string {
	return fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object","properties":{"id":{"type":"string"}}},"annotations":%s}`, name, description, annotations)
}

// startServer starts the server of the tools that the policies below are about.
func startServer(t *testing.T, modern bool, more ...string) *counted {
	t.Helper()
	tools := append([]string{
		tool("read_note", "Read a note from the archive", `{"readOnlyHint":true}`),
		tool("list_notes", "List all notes of the archive", `{"readOnlyHint":true}`),
		tool("write_note", "Write a note into the archive", `{"readOnlyHint":false}`),
		tool("delete_note", "Delete a note from the archive", `{"destructiveHint":true}`),
	}, more...)
	c := &counted{calls: map[string]int{}, parents: map[string][2]string{}, tools: tools, changed: make(chan struct{})}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		c.mu.Lock()
		takes, listed := c.takes, c.listed
		script := upstreamtest.Handler(upstreamtest.Script{Modern: modern, Tools: c.tools})
		c.mu.Unlock()
		if token != "" && takes == nil {
			t.Errorf("the server was sent a token: %s", token)
		}
		var m struct {
			Method string
			Params struct {
				Arguments struct{ ID string }
				Meta      struct{ Traceparent string } `json:"_meta"`
			}
		}
		_ = json.Unmarshal(body, &m)
		switch m.Method {
		case "subscriptions/listen":
			c.announce(w, r)
			return
		case "tools/list":
			c.mu.Lock()
			c.lists++
			c.mu.Unlock()
			if listed != nil {
				listed()
			}
		case "tools/call":
			id := m.Params.Arguments.ID
			if takes != nil && !takes(token, id) {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			c.mu.Lock()
			c.calls[id]++
			c.parents[id] = [2]string{r.Header.Get("Traceparent"), m.Params.Meta.Traceparent}
			called := c.called
			c.mu.Unlock()
			if called != nil {
				called(id)
			}
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		script.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		c.CloseClientConnections()
		c.Close()
	})
	return c
}

const policies = `
permit(principal, action == Action::"call", resource in Server::"desk");
permit(principal in Group::"staff", action == Action::"call", resource in Server::"notes") when { resource.readOnly };
permit(principal in Group::"ops", action == Action::"call", resource in Server::"notes");
`

// newFixture starts a team of n replicas.
func newFixture(t *testing.T, n int, server *counted, before ...func(f *fixture)) *fixture {
	t.Helper()
	return newFixtureOn(t, cluster, n, server, before...)
}

// newFixtureOn is newFixture on a cluster.
func newFixtureOn(t *testing.T, c *pgtest.Cluster, n int, server *counted, before ...func(f *fixture)) *fixture {
	t.Helper()
	url, schema := c.New(t)
	f := &fixture{t: t, schema: schema, tokens: map[string]string{}, server: server, provider: upstreamtest.StartAuthServer(t)}
	f.env = append(os.Environ(), asCommand+"=1", "WINNOWTEAM_DATABASE="+url, "WINNOWTEAM_SCHEMA="+schema)
	for _, who := range []string{"alice", "bob"} {
		token, err := f.provider.Token(t.Context(), who, resource)
		if err != nil {
			t.Fatal(err)
		}
		f.tokens[who] = token
	}
	for _, do := range before {
		do(f)
	}
	dir := t.TempDir()
	f.dir = dir
	servers, rules := filepath.Join(dir, "winnow.json"), filepath.Join(dir, "team.cedar")
	if err := errors.Join(
		os.WriteFile(servers, fmt.Appendf(nil, `{"servers":{"notes":{"type":"http","url":%q}%s}}`, server.URL+"/mcp", f.more), 0o600),
		os.WriteFile(rules, []byte(policies), 0o600)); err != nil {
		t.Fatal(err)
	}
	files := []string{"apply", servers, rules}
	if f.teamFile != "" {
		files = append(files, filepath.Join(dir, "team.json"))
		if err := os.WriteFile(files[3], []byte(f.teamFile), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out := f.run(files...); out != "version 1\n" {
		t.Fatalf("apply: %q", out)
	}
	for range n {
		f.replicas = append(f.replicas, f.startReplica())
	}
	for _, r := range f.replicas {
		f.untilReady(r)
	}
	f.until("a replica has told what waits", func() bool { return strings.Count(f.run("review", "notes"), "tool:") >= len(server.tools) })
	for _, r := range f.replicas {
		list := f.ask(f.post(t.Context(), r.address, "alice", "tools/list", "", ""))
		found := f.ask(f.post(t.Context(), r.address, "alice", "tools/call", "mcp_search", `"name":"mcp_search","arguments":{"query":"notes of the archive"}`))
		if strings.Contains(list.raw+found.raw, "archive\"") || strings.Contains(list.raw, "notes (") || strings.Contains(found.raw, "read_note") {
			t.Errorf("what nobody has approved is told: %s\n%s", list.raw, found.raw)
		}
	}
	if out, err := f.command("approve", "notes").CombinedOutput(); err == nil || !strings.Contains(string(out), "not what --seen names") {
		f.t.Errorf("what was not reviewed is approved: %v, %s", err, out)
	}
	f.approve("notes")
	for _, r := range f.replicas {
		f.until("what was approved is there", func() bool {
			return strings.Contains(f.ask(f.post(t.Context(), r.address, "alice", "tools/list", "", "")).raw, fmt.Sprintf("notes (%d)", len(server.tools)))
		})
	}
	store, err := pg.Open(t.Context(), pg.Options{URL: url, Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	f.store = store
	return f
}

// command is one of winnowteam's.
func (f *fixture) command(args ...string) *exec.Cmd {
	cmd := exec.Command(cmp.Or(f.program, os.Args[0]), args...)
	cmd.Env = f.env
	return cmd
}

// run runs a command to its end, and returns what it printed.
func (f *fixture) run(args ...string) string {
	f.t.Helper()
	out, err := f.command(args...).CombinedOutput()
	if err != nil {
		f.t.Fatalf("%s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// approve approves what waits of a server, as the review of it says.
func (f *fixture) approve(server string) {
	f.t.Helper()
	said := regexp.MustCompile(`winnowteam (approve \S+ --seen \S+)`).FindStringSubmatch(f.run("review", server))
	if said == nil {
		f.t.Fatalf("the review of %s does not say how it is approved", server)
	}
	f.run(strings.Fields(said[1])...)
}

func (f *fixture) startReplica() *replica { return f.startReplicaAt("127.0.0.1:0") }

// startReplicaAt starts a replica at an address.
func (f *fixture) startReplicaAt(address string) *replica {
	f.t.Helper()
	return f.start(append([]string{
		"serve", "--log", cmp.Or(f.level, "debug"), "--listen", address, "--metrics", "127.0.0.1:0", "--resource", resource, "--issuer", f.provider.Issuer,
	}, f.flags...)...)
}

// start starts a process that listens.
func (f *fixture) start(args ...string) *replica {
	f.t.Helper()
	cmd := exec.Command(cmp.Or(f.program, os.Args[0]), args...)
	cmd.Env = f.env
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		f.t.Fatal(err)
	}
	r := &replica{cmd: cmd, log: &lockedBuffer{}}
	lines := bufio.NewScanner(stderr)
	for r.address == "" && lines.Scan() {
		r.log.add(lines.Text())
		var line struct{ Msg, Address string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && (line.Msg == "a replica begins" || line.Msg == "a holder begins" && args[0] == "hold") {
			r.address = line.Address
		} else if line.Msg == "metrics" {
			r.metrics = line.Address
		}
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines.Scan() {
			r.log.add(lines.Text())
		}
	}()
	f.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-read
		_ = cmd.Wait()
		if f.t.Failed() {
			f.t.Logf("replica %s:\n%s", r.address, r.log)
		}
	})
	if r.address == "" {
		f.t.Fatal("a replica ended before it listened")
	}
	return r
}

// until waits for processes to come to something.
func (f *fixture) until(what string, done func() bool) {
	f.t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			f.t.Fatalf("never: %s", what)
		}
	}
}

func (f *fixture) untilReady(r *replica) {
	f.t.Helper()
	f.until("a replica is ready", func() bool {
		answer, err := http.Get("http://" + r.address + "/readyz")
		if err != nil {
			return false
		}
		_ = answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	})
}

// balance starts haproxy in front of the replicas, as it is shipped but for texts to
// replace, each before its replacement.
func (f *fixture) balance(replace ...string) {
	f.t.Helper()
	program, err := exec.LookPath("haproxy")
	if err != nil {
		if program, err = exec.LookPath("/usr/sbin/haproxy"); err != nil {
			if os.Getenv("CI") != "" { // .ci/run installs it
				f.t.Fatal(err)
			}
			f.t.Skip("haproxy is not installed (Debian: apt-get install haproxy)")
		}
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		f.t.Fatal(err)
	}
	f.balancer = free.Addr().String()
	_ = free.Close()
	shipped, err := os.ReadFile(filepath.Join("..", "..", "packaging", "team", "haproxy.cfg"))
	if err != nil {
		f.t.Fatal(err)
	}
	config := strings.NewReplacer(replace...).Replace(strings.Replace(string(shipped), "127.0.0.1:8080", f.balancer, 1))
	for i := range 3 {
		line := fmt.Sprintf("  server r%d 127.0.0.1:808%d\n", i+1, i+1)
		if !strings.Contains(config, line) {
			f.t.Fatalf("the configuration of the balancer has no line %q", line)
		}
		to := ""
		if i < len(f.replicas) {
			to = fmt.Sprintf("  server r%d %s\n", i+1, f.replicas[i].address)
		}
		config = strings.Replace(config, line, to, 1)
	}
	path := filepath.Join(f.t.TempDir(), "haproxy.cfg")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		f.t.Fatal(err)
	}
	cmd := exec.Command(program, "-db", "-f", path)
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	f.until("the balancer answers", func() bool {
		answer, err := http.Get("http://" + f.balancer + "/healthz")
		if err != nil {
			return false
		}
		_ = answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	})
}

const envelope = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"tester","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{}}`

// answer is what a request came to.
type answer struct {
	status int
	header http.Header
	result struct {
		Content []struct{ Text string }
		IsError bool
	}
	raw string
}

// text is what a model is told.
func (a answer) text() string {
	if len(a.result.Content) == 0 {
		return fmt.Sprintf("HTTP %d: %s", a.status, a.raw)
	}
	return a.result.Content[0].Text
}

// post sends a request of MCP 2026-07-28.
func (f *fixture) post(ctx context.Context, address, who, method, name, params string) (answer, error) {
	if params != "" {
		params += ","
	}
	return f.send(ctx, address, who, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s%s}}`, method, params, envelope), map[string]string{
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name,
	})
}

func (f *fixture) send(ctx context.Context, address, who, body string, header map[string]string) (answer, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/mcp", strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	if token := f.tokens[who]; token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range header {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return answer{}, err
	}
	raw, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	a := answer{status: response.StatusCode, header: response.Header, raw: string(raw)}
	for line := range strings.Lines(a.raw) {
		var m struct{ Result json.RawMessage }
		if json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &m) == nil {
			_ = json.Unmarshal(m.Result, &a.result)
		}
	}
	return a, err
}

// call calls a tool by mcp_call.
func (f *fixture) call(ctx context.Context, address, who, name, id string) (answer, error) {
	return f.post(ctx, address, who, "tools/call", "mcp_call", fmt.Sprintf(`"name":"mcp_call","arguments":{"name":%q,"arguments":{"id":%q}}`, name, id))
}

// ask is post or call that has to be answered.
func (f *fixture) ask(a answer, err error) answer {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
	return a
}

// TestTeam is what two replicas behind a balancer do for two users.
func TestTeam(t *testing.T) {
	server := startServer(t, true)
	f := newFixture(t, 2, server)
	f.balance()
	ctx := t.Context()

	t.Run("who has no token is told where to get one", func(t *testing.T) {
		a := f.ask(f.post(ctx, f.balancer, "", "tools/list", "", ""))
		if a.status != http.StatusUnauthorized || !strings.Contains(a.header.Get("Www-Authenticate"), `resource_metadata="https://team.example/.well-known/oauth-protected-resource/mcp"`) {
			t.Errorf("got %d, %q", a.status, a.header)
		}
		response, err := http.Get("http://" + f.balancer + "/.well-known/oauth-protected-resource/mcp")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		var metadata struct {
			Resource string
			Servers  []string `json:"authorization_servers"`
		}
		if err := json.NewDecoder(response.Body).Decode(&metadata); err != nil || metadata.Resource != resource || len(metadata.Servers) != 1 || metadata.Servers[0] != f.provider.Issuer {
			t.Errorf("%+v, %v", metadata, err)
		}
		f.tokens["mallory"] = f.tokens["alice"] + "x"
		if a := f.ask(f.post(ctx, f.balancer, "mallory", "tools/list", "", "")); a.status != http.StatusUnauthorized || !strings.Contains(a.header.Get("Www-Authenticate"), "invalid_token") {
			t.Errorf("a token that was changed: %d", a.status)
		}
	})

	t.Run("lists and searches are the same bytes on each replica, for each class", func(t *testing.T) {
		texts := map[string]string{}
		for _, who := range []string{"alice", "bob"} {
			for method, params := range map[string]string{"tools/list": "", "tools/call": `"name":"mcp_search","arguments":{"query":"notes of the archive"}`} {
				name := ""
				if method == "tools/call" {
					name = "mcp_search"
				}
				first := f.ask(f.post(ctx, f.replicas[0].address, who, method, name, params))
				second := f.ask(f.post(ctx, f.replicas[1].address, who, method, name, params))
				if first.raw != second.raw || first.status != http.StatusOK {
					t.Errorf("%s of %s: %d %s\nand %s", method, who, first.status, first.raw, second.raw)
				}
				texts[who+" "+name] = first.raw
			}
		}
		if a, b := texts["alice mcp_search"], texts["bob mcp_search"]; !strings.Contains(a, "delete_note") || strings.Contains(b, "delete_note") || !strings.Contains(b, "read_note") {
			t.Errorf("alice finds %s\nbob finds %s", a, b)
		}
		if a, b := texts["alice "], texts["bob "]; !strings.Contains(a, "notes (4)") || !strings.Contains(b, "notes (2)") {
			t.Errorf("alice is listed %s\nbob is listed %s", a, b)
		}
	})

	t.Run("what a class does not have is what nobody has", func(t *testing.T) {
		for _, r := range f.replicas {
			hidden := f.ask(f.call(ctx, r.address, "bob", "write_note", "bob's"))
			madeUp := f.ask(f.call(ctx, r.address, "bob", "draft_note", "bob's"))
			if hidden.text() != strings.ReplaceAll(madeUp.text(), "draft_note", "write_note") || !hidden.result.IsError {
				t.Errorf("hidden: %s\nmade up: %s", hidden.text(), madeUp.text())
			}
		}
		if n := server.count("bob's"); n != 0 {
			t.Errorf("it was called %d times", n)
		}
	})

	t.Run("the intent is committed before the call, its outcome after", func(t *testing.T) {
		at := make(chan string, 1)
		server.mu.Lock()
		server.called = func(string) {
			entries, _, err := f.store.Journal().Newest(context.WithoutCancel(ctx), journal.Filter{Tool: "write_note"}, 1)
			if err != nil || len(entries) != 1 {
				at <- fmt.Sprint(entries, err)
				return
			}
			at <- entries[0].Principal.Subject + " " + entries[0].Outcome
		}
		server.mu.Unlock()
		a := f.ask(f.call(ctx, f.balancer, "alice", "write_note", "hers"))
		server.mu.Lock()
		server.called = nil
		server.mu.Unlock()
		if a.result.IsError || server.count("hers") != 1 {
			t.Fatalf("called %d times: %s", server.count("hers"), a.text())
		}
		if then := <-at; then != "alice unknown" {
			t.Errorf("while the server was called, the record had %q", then)
		}
		f.until("the outcome is recorded", func() bool {
			entries, _, err := f.store.Journal().Of(ctx, journal.Filter{Tool: "write_note", Outcome: journal.OK}, "alice", 10)
			return err == nil && len(entries) == 1 && entries[0].Client == "tester"
		})
		if out := f.run("journal", "--subject", "alice"); !strings.Contains(out, "notes/write_note") {
			t.Errorf("the command prints %s", out)
		}
		f.until("who was there is known", func() bool {
			out := f.run("who")
			return strings.Contains(out, "staff ops") && strings.Contains(out, "bob")
		})
	})

	t.Run("what is called at one replica changes nothing that it lists", func(t *testing.T) {
		const query = `"name":"mcp_search","arguments":{"query":"a note"}`
		before := f.ask(f.post(ctx, f.replicas[0].address, "alice", "tools/call", "mcp_search", query))
		for n := range 20 {
			if a := f.ask(f.call(ctx, f.replicas[0].address, "alice", "list_notes", fmt.Sprint("used ", n))); a.result.IsError {
				t.Fatal(a.text())
			}
		}
		for i, r := range f.replicas {
			if after := f.ask(f.post(ctx, r.address, "alice", "tools/call", "mcp_search", query)); after.raw != before.raw {
				t.Errorf("replica %d: %s\nbefore it %s", i, after.raw, before.raw)
			}
		}
	})

	t.Run("a token that runs out in the middle ends no call, and lets nobody in any more", func(t *testing.T) {
		begun, release := server.holds("long")
		long := make(chan answer, 1)
		f.until("a call is let in", func() bool {
			token, err := f.provider.Token(ctx, "brief", resource)
			if err != nil {
				t.Fatal(err)
			}
			f.tokens["brief"] = token
			go func() {
				a, err := f.call(ctx, f.balancer, "brief", "write_note", "long")
				if err != nil {
					t.Error(err)
				}
				long <- a
			}()
			select {
			case <-begun:
				return true
			case <-long: // it has run out before
				return false
			}
		})
		f.until("the token has run out", func() bool {
			return f.ask(f.post(ctx, f.balancer, "brief", "tools/list", "", "")).status == http.StatusUnauthorized
		})
		release()
		if a := <-long; a.status != http.StatusOK || a.result.IsError || server.count("long") != 1 {
			t.Errorf("the call that was under way: %d times, %d %s", server.count("long"), a.status, a.raw)
		}
	})

	t.Run("clients of versions with sessions are served by either", func(t *testing.T) {
		hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"old","version":"1"}}}`
		for i := range 4 {
			begun := f.ask(f.send(ctx, f.balancer, "bob", hello, nil))
			if begun.status != http.StatusOK || begun.header.Get("Mcp-Session-Id") != "" || strings.Contains(begun.raw, "delete") {
				t.Fatalf("initialize: %d, session %q", begun.status, begun.header.Get("Mcp-Session-Id"))
			}
			listed := f.ask(f.send(ctx, f.balancer, "bob", `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, map[string]string{"Mcp-Protocol-Version": "2025-06-18"}))
			if !strings.Contains(listed.raw, "notes (2)") {
				t.Errorf("%d: %s", i, listed.raw)
			}
		}
	})

	t.Run("a revoked tool is refused by all within two seconds, until it is approved", func(t *testing.T) {
		began := time.Now()
		f.run("revoke", "notes/write_note")
		committed := time.Now()
		for i, r := range f.replicas {
			f.until("it is refused", func() bool {
				return f.ask(f.call(ctx, r.address, "alice", "write_note", fmt.Sprint("revoked ", i))).result.IsError
			})
		}
		took := time.Since(committed)
		if took > 2*time.Second {
			t.Errorf("it took %v", took)
		}
		t.Logf("refused by both %v after the command had ended (%v with it)", took.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
		first := f.ask(f.post(ctx, f.replicas[0].address, "alice", "tools/list", "", ""))
		second := f.ask(f.post(ctx, f.replicas[1].address, "alice", "tools/list", "", ""))
		if first.raw != second.raw || !strings.Contains(first.raw, "notes (3)") {
			t.Errorf("lists after it: %s\nand %s", first.raw, second.raw)
		}
		f.run("approve", "notes/write_note")
		for _, r := range f.replicas {
			f.until("it is back", func() bool {
				return !f.ask(f.call(ctx, r.address, "alice", "write_note", "back")).result.IsError
			})
		}
		if out := f.run("apply", "--help"); strings.Contains(out, "postgres:") || strings.Contains(out, "host=") || !strings.Contains(out, "--database") {
			t.Errorf("the help shows the address of the database: %s", out)
		}
		if out := f.run("apply", "--version", "1"); out != "version 4\n" {
			t.Errorf("an older version anew: %q", out)
		}
	})

	t.Run("what a replica did not answer goes to another one, unless it may have been called", func(t *testing.T) {
		lost := 0
		var mu sync.Mutex
		dying := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/mcp" {
				return // it says that it is alive
			}
			mu.Lock()
			lost++
			mu.Unlock()
			_, _ = io.Copy(io.Discard, r.Body)
			panic(http.ErrAbortHandler)
		}))
		defer dying.Close()
		both, all := f.balancer, f.replicas
		f.replicas = []*replica{all[0], {address: dying.Listener.Addr().String()}}
		f.balance("default-server check", "default-server no-check") // else a slow machine takes either away
		defer func() { f.balancer, f.replicas = both, all }()
		wasLost := func() (n int) {
			mu.Lock()
			defer mu.Unlock()
			n, lost = lost, 0
			return n
		}
		for what, ask := range map[string]func() (answer, error){
			"a list": func() (answer, error) { return f.post(ctx, f.balancer, "alice", "tools/list", "", "") },
			"a search": func() (answer, error) {
				return f.post(ctx, f.balancer, "alice", "tools/call", "mcp_search", `"name":"mcp_search","arguments":{"query":"a note"}`)
			},
		} {
			for range 6 {
				if a, err := ask(); err != nil || a.status != http.StatusOK {
					t.Errorf("%s: %v, %d %s", what, err, a.status, a.raw)
				}
			}
			if wasLost() == 0 {
				t.Errorf("no request for %s went to the replica that does not answer", what)
			}
		}
		failed := 0
		for n := range 6 {
			id := fmt.Sprint("perhaps ", n)
			a, err := f.call(ctx, f.balancer, "alice", "write_note", id)
			made := 1
			if err != nil || a.status != http.StatusOK {
				failed++
				made = 0
			}
			if got := server.count(id); got != made {
				t.Errorf("%s: %v, HTTP %d, and the server was called %d times", id, err, a.status, got)
			}
		}
		if n := wasLost(); n == 0 || n != failed {
			t.Errorf("%d calls failed, and %d were lost", failed, n)
		}
		// Who names a search and calls is refused.
		a, err := f.send(ctx, all[0].address, "alice", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mcp_call","arguments":{"name":"write_note","arguments":{"id":"a lie"}},%s}}`, envelope),
			map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "mcp_search"})
		if err != nil || a.status != http.StatusBadRequest || server.count("a lie") != 0 {
			t.Errorf("a call that says it is a search: %v, HTTP %d %s", err, a.status, a.raw)
		}
	})

	t.Run("a replica that is killed loses only its own requests", func(t *testing.T) {
		// At each replica some are at the server while the one is killed.
		const held = 4
		begun, release, ended := make(chan struct{}, 2*held), make(chan struct{}), make(chan bool, held)
		server.mu.Lock()
		server.called = func(id string) {
			if strings.HasPrefix(id, "held") {
				begun <- struct{}{}
				<-release
			}
		}
		server.mu.Unlock()
		for n := range held {
			go func() {
				a, err := f.call(ctx, f.balancer, "alice", "write_note", fmt.Sprint("held ", n))
				ended <- err == nil && a.status == http.StatusOK && !a.result.IsError
			}()
			<-begun
		}
		const workers, each = 4, 40
		var mu sync.Mutex
		var failed, done []string
		reached := make(chan struct{})
		var calling sync.WaitGroup
		for w := range workers {
			calling.Go(func() {
				for i := range each {
					id := fmt.Sprintf("load %d %d", w, i)
					a, err := f.call(ctx, f.balancer, "alice", "delete_note", id)
					mu.Lock()
					if err != nil || a.status != http.StatusOK || a.result.IsError {
						failed = append(failed, fmt.Sprintf("%s: %v %s", id, err, a.text()))
					} else if done = append(done, id); len(done) == workers*each/4 {
						close(reached)
					}
					mu.Unlock()
				}
			})
		}
		<-reached
		if err := f.replicas[0].cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		calling.Wait()
		select {
		case answered := <-ended:
			if answered {
				t.Error("a call was answered that the server has not")
			}
		case <-begun:
			t.Error("a call that was at the server is made again")
		}
		close(release)
		for n := range held {
			if n > 0 {
				<-ended
			}
			if count := server.count(fmt.Sprint("held ", n)); count != 1 {
				t.Errorf("a call that was at the server when its replica was killed was made %d times", count)
			}
		}
		// A worker may lose a second one: the kernel takes connections for a process
		// until all of it is gone.
		if len(failed) > 2*workers {
			t.Errorf("%d requests failed, and %d were under way: %q", len(failed), workers, failed)
		}
		for _, id := range done {
			if n := server.count(id); n != 1 {
				t.Errorf("%s: the server was called %d times", id, n)
			}
		}
		entries, _, err := f.store.Journal().Newest(ctx, journal.Filter{Tool: "delete_note"}, 1000)
		if err != nil {
			t.Fatal(err)
		}
		server.mu.Lock()
		called := 0
		for id, n := range server.calls {
			if strings.HasPrefix(id, "load ") {
				called += n
				if n > 1 {
					t.Errorf("%s was called %d times", id, n)
				}
			}
		}
		server.mu.Unlock()
		if len(entries) < called || len(entries) > called+2*workers {
			t.Errorf("%d intents, and the server was called %d times", len(entries), called)
		}
		t.Logf("%d answered, %d failed; %d intents, %d calls of the server; failed are %q", len(done), len(failed), len(entries), called, failed)
	})
	for _, r := range f.replicas {
		if log := r.log.String(); strings.Contains(log, f.tokens["alice"]) || strings.Contains(log, f.tokens["bob"]) {
			t.Error("a token stands in a log")
		}
	}
}
