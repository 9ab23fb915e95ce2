//go:build linux

package main

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// loadTime is how long a load is kept up: WINNOWTEAM_LOAD is it, such as 20s.
// Without it the figures are not taken.
func loadTime(t *testing.T) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(os.Getenv("WINNOWTEAM_LOAD"))
	if err != nil {
		t.Skip("WINNOWTEAM_LOAD says for how long figures are taken, such as 20s")
	}
	return d
}

// cpu is what a process has used of the processors; 0 if it is gone.
func cpu(pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond // USER_HZ is 100
}

// sample is one request of a load.
type sample struct {
	begun, ended time.Time
	err          error
}

// loaded is what a load came to.
type loaded struct {
	all      []sample // by their beginning
	failed   int
	rate     float64
	p50, p99 time.Duration
	cpu      time.Duration // a request, of all replicas together
}

// request is one kind of request, of a user.
type request func(who string, n int64) error

// load lets clients make requests of kinds, each one after the other, and one in
// each pace at most.
func (f *fixture) load(users []string, lasting, pace time.Duration, kinds ...request) loaded {
	f.t.Helper()
	var mu sync.Mutex
	var out loaded
	var numbers atomic.Int64
	before := make([]time.Duration, len(f.replicas))
	for i, r := range f.replicas {
		before[i] = cpu(r.cmd.Process.Pid)
	}
	began := time.Now()
	var working sync.WaitGroup
	for c, who := range users {
		working.Go(func() {
			// They do not all begin in the same moment.
			next := began.Add(pace * time.Duration(c) / time.Duration(len(users)))
			for n := c; time.Since(began) < lasting; n++ {
				time.Sleep(time.Until(next))
				next = next.Add(pace)
				one := sample{begun: time.Now()}
				one.err = kinds[n%len(kinds)](who, numbers.Add(1))
				one.ended = time.Now()
				mu.Lock()
				if out.all = append(out.all, one); one.err != nil {
					if out.failed++; out.failed < 4 {
						f.t.Log(one.err)
					}
				}
				mu.Unlock()
			}
		})
	}
	working.Wait()
	lasted := time.Since(began)
	for i, r := range f.replicas {
		out.cpu += max(0, cpu(r.cmd.Process.Pid)-before[i])
	}
	var took []time.Duration
	for _, one := range out.all {
		took = append(took, one.ended.Sub(one.begun))
	}
	slices.Sort(took)
	slices.SortFunc(out.all, func(a, b sample) int { return a.begun.Compare(b.begun) })
	out.rate = float64(len(took)) / lasted.Seconds()
	out.p50, out.p99, out.cpu = took[len(took)/2], took[len(took)*99/100], out.cpu/time.Duration(len(took))
	return out
}

func (l loaded) String() string {
	return fmt.Sprintf("%d requests, %d failed, %.0f/s, p50 %v, p99 %v, CPU %v a request", len(l.all), l.failed, l.rate,
		l.p50.Round(100*time.Microsecond), l.p99.Round(100*time.Microsecond), l.cpu.Round(time.Microsecond))
}

// good counts the requests that were answered between two times.
func (l loaded) good(from, to time.Time) (n int) {
	for _, one := range l.all {
		if one.err == nil && !one.ended.Before(from) && one.ended.Before(to) {
			n++
		}
	}
	return n
}

// figures is the table of what was measured, beside what is aimed at.
type figures struct {
	mu   sync.Mutex
	rows []string
}

func (f *figures) add(what, got, aim string, met bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	row := what + "\t" + got + "\t" + aim + "\t"
	if aim != "" {
		row += map[bool]string{true: "met", false: "MISSED"}[met]
	}
	f.rows = append(f.rows, row)
}

// print prints the table, and writes it to out/team-load.txt.
func (f *figures) print(t *testing.T) {
	var text bytes.Buffer
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "FIGURE\tMEASURED\tAIM\t")
	for _, row := range f.rows {
		_, _ = fmt.Fprintln(table, row)
	}
	_ = table.Flush()
	load, _ := os.ReadFile("/proc/loadavg")
	_, _ = fmt.Fprintf(&text, "load of this machine at the end: %s", load)
	t.Log("\n" + text.String())
	out := filepath.Join(upstreamtest.ModuleRoot(t), "out")
	if err := errors.Join(os.MkdirAll(out, 0o755), os.WriteFile(filepath.Join(out, "team-load.txt"), text.Bytes(), 0o600)); err != nil { //nolint:gosec // a folder of what is built
		t.Error(err)
	}
}

// manyTools are further tools of the server.
func manyTools(n int) []string {
	verbs, things := []string{"create", "update", "archive", "export", "share"}, []string{"invoice", "ticket", "calendar", "contact", "report", "branch", "image", "order"}
	var all []string
	for i := range n {
		verb, thing := verbs[i%len(verbs)], things[i/len(verbs)%len(things)]
		all = append(all, tool(fmt.Sprintf("%s_%s_%d", verb, thing, i), fmt.Sprintf("%s one %s of department %d", verb, thing, i), `{"readOnlyHint":true}`))
	}
	return all
}

// withUsers gives a team an issuer of tokens that knows n users besides alice and bob, all
// of them staff, and the first of ten ops. It replaces the OpenID provider, whose programs
// are three.
func withUsers(n int) func(f *fixture) {
	return func(f *fixture) {
		f.t.Helper()
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			f.t.Fatal(err)
		}
		encoded := func(v any) string {
			text, err := json.Marshal(v)
			if err != nil {
				f.t.Fatal(err)
			}
			return base64.RawURLEncoding.EncodeToString(text)
		}
		var issuer *httptest.Server
		issuer = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answer := map[string]any{"issuer": issuer.URL, "jwks_uri": issuer.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256"}}
			if r.URL.Path == "/keys" {
				answer = map[string]any{"keys": []any{map[string]string{
					"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "load", "e": "AQAB", "n": base64.RawURLEncoding.EncodeToString(key.N.Bytes()),
				}}}
			}
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(answer)
		}))
		f.t.Cleanup(issuer.Close)
		f.provider = &upstreamtest.AuthServer{Issuer: issuer.URL}
		names := []string{"alice", "bob"}
		for i := range n {
			names = append(names, fmt.Sprint("user ", i))
		}
		for i, name := range names {
			groups := []string{"staff"}
			if i%10 == 0 {
				groups = append(groups, "ops")
			}
			said := encoded(map[string]string{"alg": "RS256", "typ": "at+jwt", "kid": "load"}) + "." + encoded(map[string]any{
				"iss": issuer.URL, "aud": resource, "sub": name, "name": name, "groups": groups, "client_id": "load",
				"iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(),
			})
			sum := sha256.Sum256([]byte(said))
			signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
			if err != nil {
				f.t.Fatal(err)
			}
			f.tokens[name] = said + "." + base64.RawURLEncoding.EncodeToString(signature)
			f.users = append(f.users, name)
		}
		f.users = f.users[2:]
		f.level = "info"
	}
}

// TestTeam_load takes figures: `npm test -- team-load`. What is counted has to be right;
// what is timed stands in a table beside the aims, and depends on the machine.
func TestTeam_load(t *testing.T) {
	lasting := loadTime(t)
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = 400
	table := &figures{}
	defer func() { table.print(t) }()
	for _, tools := range []int{250, 10_000} {
		t.Run(fmt.Sprint("one gateway, ", tools, " tools"), func(t *testing.T) { loadOne(t, table, tools, lasting) })
	}
	t.Run("three gateways and two holders", func(t *testing.T) { loadThree(t, table, lasting) })
}

// loadOne measures one gateway.
func loadOne(t *testing.T, table *figures, tools int, lasting time.Duration) {
	server := startServer(t, true, manyTools(tools-4)...)
	f := newFixture(t, 1, server, withUsers(20))
	to := f.requests(f.replicas[0].address)
	clients := f.users[:8]
	f.load(clients, lasting/4, 0, to.read, to.search, to.list) // warm
	for _, one := range []struct {
		name string
		kind request
		aim  int // requests a second; 0 is none
	}{{"calls that read", to.read, 1200}, {"calls that write", to.write, 0}, {"searches", to.search, 0}, {"lists", to.list, 0}} {
		got := f.load(clients, lasting/2, 0, one.kind)
		name := fmt.Sprintf("one gateway, %d tools, 8 clients, %s: ", tools, one.name)
		t.Log(name, got)
		if got.failed > 0 {
			t.Errorf("%s%d failed", name, got.failed)
		}
		if one.aim > 0 {
			table.add(name+"a second", fmt.Sprintf("%.0f", got.rate), fmt.Sprint("≥ ", one.aim), got.rate >= float64(one.aim))
			table.add(name+"CPU each", fmt.Sprint(got.cpu.Round(time.Microsecond)), "≤ 500µs", got.cpu <= 500*time.Microsecond)
		} else {
			table.add(name, fmt.Sprintf("%.0f/s, p99 %v, CPU %v each", got.rate, got.p99.Round(100*time.Microsecond), got.cpu.Round(time.Microsecond)), "", true)
		}
	}
}

// requests are the kinds of requests at an address.
type requests struct{ read, write, search, list, desk request }

func (f *fixture) requests(address string) requests {
	ctx := f.t.Context()
	return requests{
		read: func(who string, n int64) error {
			return wrong(f.call(ctx, address, who, "read_note", fmt.Sprint("r ", n)))
		},
		write: func(_ string, n int64) error {
			return wrong(f.call(ctx, address, "alice", "write_note", fmt.Sprint("w ", n)))
		},
		search: func(who string, n int64) error {
			return wrong(f.post(ctx, address, who, "tools/call", "mcp_search", fmt.Sprintf(`"name":"mcp_search","arguments":{"query":"export the report of department %d"}`, n%50)))
		},
		list: func(who string, _ int64) error { return wrong(f.post(ctx, address, who, "tools/list", "", "")) },
		desk: func(who string, n int64) error {
			return wrong(f.post(ctx, address, who, "tools/call", "mcp_call", fmt.Sprintf(`"name":"mcp_call","arguments":{"name":"echo","arguments":{"text":"%d"}}`, n)))
		},
	}
}

// wrong says what is wrong with an answer.
func wrong(a answer, err error) error {
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return err
	case a.status != http.StatusOK || a.result.IsError:
		return fmt.Errorf("HTTP %d: %s", a.status, a.raw[:min(300, len(a.raw))])
	}
	return nil
}

// loadThree measures three gateways and two holders behind haproxy, with 10,000 tools of
// an upstream that takes 100 ms, and 200 users.
func loadThree(t *testing.T, table *figures, lasting time.Duration) {
	pids := filepath.Join(t.TempDir(), "pids")
	command, args, env := upstreamtest.Program(t, upstreamtest.Script{PIDFile: pids})
	entry, err := json.Marshal(map[string]any{"command": command, "args": args, "env": env})
	if err != nil {
		t.Fatal(err)
	}
	server := startServer(t, true, manyTools(9_996)...)
	var holders []*replica
	f := newFixture(t, 3, server, withKeys, withUsers(200), func(f *fixture) {
		f.more = `,"desk":` + string(entry)
		for range 2 {
			holders = append(holders, f.start("hold", "--listen", "127.0.0.1:0"))
		}
	})
	f.until("the program's tools wait for an approval", func() bool { return strings.Contains(f.run("review", "desk"), "tool:echo") })
	f.approve("desk")
	f.balance()
	l := &threefold{fixture: f, table: table, lasting: lasting, holders: holders, pids: pids, requests: f.requests(f.balancer)}
	f.until("the program is called", func() bool { return l.desk("bob", 0) == nil })
	server.mu.Lock()
	server.called = l.noteCall // the upstream takes 100 ms
	server.mu.Unlock()
	l.mix = []request{l.read, l.search, l.read, l.write, l.list, l.read, l.read, l.search, l.read, l.desk}
	f.load(f.users[:20], lasting/4, 0, l.mix...) // warm
	t.Run("load", l.rates)
	t.Run("a gateway is killed", l.gatewaysKilled)
	t.Run("a holder is killed", l.holderKilled)
	t.Run("a tool is withdrawn", l.withdrawn)
	t.Run("a list changes", l.changed)
}

// threefold is a team under load.
type threefold struct {
	*fixture
	requests

	table   *figures
	lasting time.Duration
	holders []*replica
	pids    string
	// mix is of 60 % calls that read, 10 % each that write and of a holder's program, 20 %
	// searches and 10 % lists.
	mix []request

	// last is when the upstream was last called to read.
	last atomic.Pointer[time.Time]
}

// pace is the time between two requests of one of the users who together make 650 a
// second.
const pace = 200 * time.Second / 650

func (l *threefold) noteCall(id string) {
	if strings.HasPrefix(id, "r ") {
		now := time.Now()
		l.last.Store(&now)
	}
	time.Sleep(100 * time.Millisecond)
}

// rates measures how much goes through.
func (l *threefold) rates(t *testing.T) {
	fast := l.load(l.users, l.lasting, 0, l.mix...)
	t.Logf("as fast as it goes: %s", fast)
	steady := l.load(l.users, l.lasting, pace, l.mix...)
	t.Logf("650 a second: %s", steady)
	const name = "three gateways, two holders, haproxy, 200 users, 10,000 tools, upstream of 100 ms: "
	l.table.add(name+"a second", fmt.Sprintf("%.0f", fast.rate), "≥ 600", fast.rate >= 600)
	l.table.add(name+"p99 at 650 a second", fmt.Sprint(steady.p99.Round(time.Millisecond)), "≤ 150ms", steady.p99 <= 150*time.Millisecond)
	l.table.add(name+"errors", fmt.Sprint(fast.failed+steady.failed), "0", fast.failed+steady.failed == 0)
	l.table.add(name+"CPU of the gateways each", fmt.Sprint(steady.cpu.Round(time.Microsecond)), "", true)
	if fast.failed+steady.failed > 0 {
		t.Errorf("%d failed", fast.failed+steady.failed)
	}
}

// gatewaysKilled kills a gateway in each ten seconds, which is started again at once.
func (l *threefold) gatewaysKilled(t *testing.T) {
	const kills = 3
	every := l.lasting / 2
	before := time.Now()
	var mu sync.Mutex
	var killed, gone []time.Time // the kernel takes connections for a process until all of it is gone
	var killing sync.WaitGroup
	killing.Go(func() {
		for k := range kills {
			time.Sleep(time.Until(before.Add(time.Duration(k+1) * every)))
			mu.Lock()
			killed = append(killed, time.Now())
			mu.Unlock()
			one := l.replicas[k%len(l.replicas)]
			if err := one.cmd.Process.Kill(); err != nil {
				t.Error(err)
			}
			_ = one.cmd.Wait()
			mu.Lock()
			gone = append(gone, time.Now())
			mu.Unlock()
			l.replicas[k%len(l.replicas)] = l.startReplicaAt(one.address)
		}
	})
	l.server.mu.Lock()
	clear(l.server.calls)
	l.server.mu.Unlock()
	all := l.load(l.users, (kills+1)*every, pace, l.mix...)
	killing.Wait()
	late, dying, most, slowest := 0, 0, 0, 1.0
	for k, at := range killed {
		flight, failed := 0, 0
		for _, one := range all.all {
			if !one.begun.After(at) && one.ended.After(at) {
				flight++
			}
			if one.err == nil || one.ended.Before(at) || k+1 < len(killed) && one.ended.After(killed[k+1]) {
				continue
			}
			failed++
			if one.begun.After(gone[k]) {
				late++
			} else if one.begun.After(at) {
				dying++
			}
		}
		most = max(most, failed)
		again := float64(all.good(at.Add(2*time.Second), at.Add(4*time.Second))) / float64(max(1, all.good(at.Add(-2*time.Second), at)))
		slowest = min(slowest, again)
		t.Logf("kill %d: gone after %v, %d failed, %d were in flight at all replicas, %.0f %% of the rate from the second second on",
			k+1, gone[k].Sub(at).Round(time.Millisecond), failed, flight, again*100)
	}
	t.Logf("%s; %d failed that had begun after a gateway was gone, %d between its kill and that", all, late, dying)
	entries, _, err := l.store.Journal().Newest(t.Context(), journal.Filter{Tool: "write_note", Since: before}, 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	called, double := 0, 0
	l.server.mu.Lock()
	for id, n := range l.server.calls {
		if strings.HasPrefix(id, "w ") {
			if called += n; n > 1 {
				double++
			}
		}
	}
	l.server.mu.Unlock()
	const name = "a gateway is killed each ten seconds: "
	l.table.add(name+"failed that had begun after it was gone", fmt.Sprint(late), "0", late == 0)
	l.table.add(name+"failed at most at a kill / of all failed, begun while it was ending", fmt.Sprint(most, " / ", dying), "", true)
	l.table.add(name+"intents / calls of the upstream / made twice", fmt.Sprint(len(entries), " / ", called, " / ", double), "equal but for those in flight, 0 twice", double == 0 && len(entries) >= called)
	l.table.add(name+"rate from 2 s after on", fmt.Sprintf("%.0f %%", slowest*100), "100 %", slowest >= .95)
	if double > 0 || len(entries) < called || len(entries) > called+all.failed {
		t.Errorf("%d intents, the upstream was called %d times, %d were made twice; %d failed", len(entries), called, double, all.failed)
	}
}

// besides runs a load while something happens.
func (l *threefold) besides(kinds []request, happens func()) loaded {
	var over sync.WaitGroup
	var all loaded
	over.Go(func() { all = l.load(l.users, l.lasting/2, pace, kinds...) })
	happens()
	over.Wait()
	return all
}

// holderKilled kills the holder that runs the program.
func (l *threefold) holderKilled(t *testing.T) {
	var took time.Duration
	var left []int
	all := l.besides(l.mix, func() {
		time.Sleep(l.lasting / 10)
		leases, err := l.store.Leases().All(t.Context())
		if err != nil {
			t.Error(err)
		}
		before := running(t, l.pids)
		killed := time.Now()
		for _, h := range l.holders {
			if h.address == leases["desk"].Address {
				_ = h.cmd.Process.Kill()
			}
		}
		l.until("another holder runs the program", func() bool {
			left = running(t, l.pids)
			return len(left) == 1 && len(before) == 1 && left[0] != before[0] && l.desk("bob", 0) == nil
		})
		took = time.Since(killed)
	})
	t.Logf("after %v; %s", took.Round(time.Millisecond), all)
	l.table.add("a holder is killed: until its program is called again", fmt.Sprint(took.Round(time.Millisecond)), "≤ 5s", took <= 5*time.Second)
	l.table.add("a holder is killed: processes of the program", fmt.Sprint(len(left)), "1, no orphan", len(left) == 1)
}

// withdrawn withdraws the tool that most users call.
func (l *threefold) withdrawn(t *testing.T) {
	var committed time.Time
	refused := func(who string, n int64) error {
		if a, err := l.call(t.Context(), l.balancer, who, "read_note", fmt.Sprint("r ", n)); err != nil || a.status != http.StatusOK {
			return fmt.Errorf("HTTP %d, %w", a.status, err)
		}
		return nil
	}
	all := l.besides([]request{refused, refused, refused, l.search}, func() {
		time.Sleep(l.lasting / 10)
		l.run("revoke", "notes/read_note")
		committed = time.Now()
	})
	last := l.last.Load().Sub(committed)
	t.Logf("the last call at the upstream began %v after the command had ended; %s", last.Round(time.Millisecond), all)
	l.table.add("a tool is withdrawn: its last call after the commit", fmt.Sprint(max(0, last).Round(time.Millisecond)), "≤ 2s", last <= 2*time.Second)
	if last > 2*time.Second {
		t.Errorf("called %v after the withdrawal", last)
	}
	l.run("approve", "notes/read_note")
}

// changed changes the upstream's list, and looks how long each gateway takes.
func (l *threefold) changed(t *testing.T) {
	const rounds = 20
	l.server.mu.Lock()
	tools := l.server.tools
	l.server.called = nil
	lists := l.server.lists
	l.server.mu.Unlock()
	var everywhere, apart []time.Duration
	unequal := 0
	for n := range rounds {
		count := len(tools) - (n+1)%2
		begun := time.Now()
		l.server.change(tools[:count]...)
		took := make([]time.Duration, len(l.replicas))
		raw := make([]string, len(l.replicas))
		var looking sync.WaitGroup
		for i, r := range l.replicas {
			looking.Go(func() {
				l.until("a gateway lists it", func() bool {
					a, err := l.post(t.Context(), r.address, "alice", "tools/list", "", "")
					took[i], raw[i] = time.Since(begun), a.raw
					return err == nil && strings.Contains(a.raw, fmt.Sprintf("notes (%d)", count))
				})
			})
		}
		looking.Wait()
		if raw[0] != raw[1] || raw[1] != raw[2] {
			unequal++
		}
		everywhere, apart = append(everywhere, slices.Max(took)), append(apart, slices.Max(took)-slices.Min(took))
	}
	slices.Sort(everywhere)
	slices.Sort(apart)
	l.server.mu.Lock()
	lists = l.server.lists - lists
	l.server.mu.Unlock()
	const name = "a list of 10,000 tools changes: "
	last := len(everywhere) - 1
	l.table.add(name+"everywhere after the announcement, p50 / p99 of 20", fmt.Sprint(everywhere[last/2].Round(time.Millisecond), " / ", everywhere[last].Round(time.Millisecond)),
		"≤ 250ms", everywhere[last] <= 250*time.Millisecond)
	l.table.add(name+"the first and the last gateway apart, p99", fmt.Sprint(apart[last].Round(time.Millisecond)), "≤ 250ms", apart[last] <= 250*time.Millisecond)
	l.table.add(name+"bytes that are not equal", fmt.Sprint(unequal), "0", unequal == 0)
	l.table.add(name+"requests for the list, of 20 changes", fmt.Sprint(lists), "20", lists == rounds)
	if unequal > 0 {
		t.Errorf("%d lists differ", unequal)
	}
}
