//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
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

// cpu is what a process has used of the processors.
func cpu(t *testing.T, pid int) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond // USER_HZ is 100
}

// loaded is what a load came to.
type loaded struct {
	requests, failed int
	rate             float64
	p50, p99         time.Duration
	cpu              time.Duration // a request, of all replicas together
}

// load lets clients make requests of kinds, each one after the other, and one in
// each pace at most.
func (f *fixture) load(clients int, lasting, pace time.Duration, kinds ...func(who string, n int) error) loaded {
	f.t.Helper()
	var mu sync.Mutex
	var took []time.Duration
	var out loaded
	before := make([]time.Duration, len(f.replicas))
	for i, r := range f.replicas {
		before[i] = cpu(f.t, r.cmd.Process.Pid)
	}
	began := time.Now()
	var working sync.WaitGroup
	for c := range clients {
		working.Go(func() {
			who := []string{"alice", "bob"}[c%2]
			// They do not all begin in the same moment.
			next := began.Add(pace * time.Duration(c) / time.Duration(clients))
			for n := c; time.Since(began) < lasting; n++ {
				time.Sleep(time.Until(next))
				next = next.Add(pace)
				start := time.Now()
				err := kinds[n%len(kinds)](who, n)
				mu.Lock()
				took = append(took, time.Since(start))
				if err != nil {
					if out.failed++; out.failed < 4 {
						f.t.Log(err)
					}
				}
				mu.Unlock()
			}
		})
	}
	working.Wait()
	lasted := time.Since(began)
	for i, r := range f.replicas {
		out.cpu += cpu(f.t, r.cmd.Process.Pid) - before[i]
	}
	slices.Sort(took)
	out.requests, out.rate = len(took), float64(len(took))/lasted.Seconds()
	out.p50, out.p99, out.cpu = took[len(took)/2], took[len(took)*99/100], out.cpu/time.Duration(len(took))
	return out
}

func (l loaded) String() string {
	return fmt.Sprintf("%d requests, %d failed, %.0f/s, p50 %v, p99 %v, CPU %v a request", l.requests, l.failed, l.rate,
		l.p50.Round(100*time.Microsecond), l.p99.Round(100*time.Microsecond), l.cpu.Round(time.Microsecond))
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

// TestTeam_load takes figures: `npm test -- team-load`.
func TestTeam_load(t *testing.T) {
	lasting := loadTime(t)
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = 400
	for _, tools := range []int{250, 10_000} {
		t.Run(fmt.Sprint(tools, " tools"), func(t *testing.T) {
			server := startServer(t, true, manyTools(tools-4)...)
			f := newFixture(t, 1, server)
			ctx := t.Context()
			address := f.replicas[0].address
			calls := func(who string, n int) error {
				a, err := f.call(ctx, address, who, "read_note", fmt.Sprint(n))
				return wrong(a, err)
			}
			searches := func(who string, n int) error {
				a, err := f.post(ctx, address, who, "tools/call", "mcp_search", fmt.Sprintf(`"name":"mcp_search","arguments":{"query":"export the report of department %d"}`, n%50))
				return wrong(a, err)
			}
			lists := func(who string, _ int) error {
				a, err := f.post(ctx, address, who, "tools/list", "", "")
				return wrong(a, err)
			}
			writes := func(_ string, n int) error {
				a, err := f.call(ctx, address, "alice", "write_note", fmt.Sprint(n))
				return wrong(a, err)
			}
			f.load(8, lasting/4, 0, calls, searches, lists) // warm
			for _, one := range []struct {
				name  string
				kinds []func(string, int) error
			}{
				{"calls that read", []func(string, int) error{calls}}, {"calls that write", []func(string, int) error{writes}},
				{"searches", []func(string, int) error{searches}}, {"lists", []func(string, int) error{lists}},
			} {
				t.Logf("one gateway, %d tools, 8 clients, %s: %s", tools, one.name, f.load(8, lasting/2, 0, one.kinds...))
			}
		})
	}
	t.Run("three behind haproxy", func(t *testing.T) {
		server := startServer(t, true, manyTools(9_996)...)
		server.mu.Lock()
		server.called = func(string) { time.Sleep(100 * time.Millisecond) } // the server takes so long
		server.mu.Unlock()
		f := newFixture(t, 3, server)
		f.balance()
		ctx := t.Context()
		call := func(who string, n int) error {
			a, err := f.call(ctx, f.balancer, who, "read_note", fmt.Sprint(n))
			return wrong(a, err)
		}
		search := func(who string, n int) error {
			a, err := f.post(ctx, f.balancer, who, "tools/call", "mcp_search", fmt.Sprintf(`"name":"mcp_search","arguments":{"query":"export the report of department %d"}`, n%50))
			return wrong(a, err)
		}
		list := func(who string, _ int) error {
			a, err := f.post(ctx, f.balancer, who, "tools/list", "", "")
			return wrong(a, err)
		}
		mix := []func(string, int) error{call, search, call, call, list, call, call, search, call, call}
		f.load(20, lasting/4, 0, mix...)
		const said = "three gateways behind haproxy, 10,000 tools, 200 clients, the server takes 100 ms, 70 %% calls, 20 %% searches, 10 %% lists"
		for name, pace := range map[string]time.Duration{"as fast as it goes": 0, "650 a second": 200 * time.Second / 650} {
			all := f.load(200, lasting, pace, mix...)
			t.Logf(said+", %s: %s", name, all)
			if all.failed > 0 {
				t.Errorf("%d failed", all.failed)
			}
		}
	})
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
