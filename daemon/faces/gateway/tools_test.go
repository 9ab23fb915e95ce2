package gateway_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/daemontest/gatewaytest"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// What a client's first list holds, and in which order.
func TestTools_byMode(t *testing.T) {
	t.Parallel()
	pinned := serverOf("pins", "always", "never")
	pinned.Policy.AlwaysLoadTools = []string{"always"}
	stopped := serverOf("stopped", "none")
	stopped.Stopped = true
	for _, tt := range []struct {
		mode, client string
		want         []string
	}{
		{"auto", "Roo Code", []string{"mcp_search", "mcp_call", "mcp_read", "always"}},
		{"auto", "claude-code", []string{"mcp_search", "mcp_call", "mcp_read", "always"}},
		{"auto", "nobody knows", []string{"mcp_search", "mcp_call", "mcp_read", "always"}},
		{"auto", "Visual Studio Code", []string{"mcp_load", "mcp_call", "mcp_read", "always"}},
		{"auto", "opencode", []string{"mcp_load", "mcp_call", "mcp_read", "always"}},
		{"dynamic", "Roo Code", []string{"mcp_load", "mcp_call", "mcp_read", "always"}}, // the user knows better
		{"dispatch", "cursor-vscode", []string{"mcp_search", "mcp_call", "mcp_read", "always"}},
		{"all", "Roo Code", []string{"mcp_result", "alpha", "always", "never", "zeta"}},
		{"strategy dispatch", "opencode", []string{"mcp_search", "mcp_call", "mcp_read", "always"}},
		{"searchTurns 0", "Roo Code", []string{"mcp_result", "alpha", "always", "never", "zeta"}}, // routing is off, and results are cut
	} {
		t.Run(tt.mode+" "+tt.client, func(t *testing.T) {
			t.Parallel()
			f := newEngine(t, serverOf("std", "zeta", "alpha"), pinned, stopped)
			switch tt.mode {
			case "strategy dispatch":
				f.settings.Strategy = protocol.StrategyDispatch
			case "searchTurns 0":
				f.settings.SearchTurns = 0
			default:
				f.settings.Gateway.Mode = protocol.GatewayMode(tt.mode)
			}
			if got := listNames(t, join(t, faceOf(t, f), tt.client, true).Client); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

var update = flag.Bool("update", false, "rewrite testdata/lists.golden")

// What each client that is known is shown by tools/list, by what it calls itself:
// the names, titles, annotations and _meta of Winnow's own tools, and of a pinned
// one with what its server says of it. The first five names are what the agents of
// `npm test -- agents` send; the last four are of clients of which nothing is known.
func TestTools_golden(t *testing.T) {
	t.Parallel()
	clients := []string{
		"opencode", "codex-mcp-client", "claude-code", "gemini-cli-mcp-client", "qwen-cli-mcp-client-winnow",
		"Visual Studio Code", "Visual Studio Code - Insiders", "Code - OSS", "VSCodium", "code-server",
		"Cline", "Roo Code", "Zoo Code", "Zed", "cursor-vscode", "github-copilot-developer", "nobody knows", "",
	}
	var got strings.Builder
	for _, client := range clients {
		server := fakeServer{ServerInput: router.ServerInput{Name: "notes", Tools: []json.RawMessage{
			json.RawMessage(`{"name":"read_note","title":"Read a note","description":"Reads.","inputSchema":{"type":"object"},` +
				`"annotations":{"readOnlyHint":true,"idempotentHint":true},"_meta":{"example.org/kind":"note"}}`),
			json.RawMessage(tool("write_note", "Writes.")),
		}}}
		server.Policy.AlwaysLoadTools = []string{"read_note"}
		p := join(t, faceOf(t, newEngine(t, server)), client, true)
		r, err := p.GetTransport().SendRequest(t.Context(), transport.JSONRPCRequest{JSONRPC: "2.0", ID: mcp.NewRequestId("list"), Method: "tools/list"})
		if err != nil {
			t.Fatal(err)
		}
		var list struct {
			Tools []struct {
				Name, Title string
				Annotations json.RawMessage
				Meta        json.RawMessage `json:"_meta"`
			}
		}
		if err := json.Unmarshal(r.Result, &list); err != nil {
			t.Fatalf("%s: %v: %s", client, err, r.Result)
		}
		fmt.Fprintf(&got, "%s\n", client)
		for _, tool := range list.Tools {
			fmt.Fprintf(&got, "  %s %q\n    annotations %s\n    _meta %s\n", tool.Name, tool.Title, tool.Annotations, tool.Meta)
		}
	}
	const file = "testdata/lists.golden"
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("the lists have changed; if that is meant: go test ./daemon/faces/gateway -run TestTools_golden -update\n%s", got.String())
	}
}

// A client whose list grows is told once of what it has loaded, and finds it at
// the end; another client's list stays as it is.
func TestTools_loadAppends(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newEngine(t, serverOf("std", "alpha", "mid", "zeta"))
		f.settings.Gateway.Mode = protocol.GatewayDynamic
		face := faceOf(t, f)
		p, other := join(t, face, "test", true), join(t, face, "other", true)
		for _, c := range []*gatewaytest.Person{p, other} {
			if got, want := listNames(t, c.Client), []string{"mcp_load", "mcp_call", "mcp_read"}; !slices.Equal(got, want) {
				t.Errorf("a new session: got %q, want %q", got, want)
			}
		}
		want := []string{"mcp_load", "mcp_call", "mcp_read"}
		for _, load := range [][]string{{"zeta"}, {"mid", "alpha"}} {
			callClient(t, p.Client, "mcp_load", map[string]any{"names": load})
			if got := notified(p); !slices.Equal(got, []string{listChanged}) {
				t.Errorf("%q loaded: told %q, want once of the list", load, got)
			}
			slices.Sort(load) // what is loaded together comes in the order of the names
			want = append(want, load...)
			if got := listNames(t, p.Client); !slices.Equal(got, want) {
				t.Errorf("%q loaded: got %q, want %q", load, got, want)
			}
		}
		callClient(t, p.Client, "mcp_load", map[string]any{"names": []string{"mid"}})
		if got := notified(p); len(got) > 0 {
			t.Errorf("loaded again: told %q, want nothing", got)
		}
		if got := notified(other); len(got) > 0 {
			t.Errorf("the other client: told %q, want nothing", got)
		}
	})
}

// A client is told that its list has changed where that is so, once, and only
// when it has listed.
func TestTools_changed(t *testing.T) {
	t.Parallel()
	late := func(s *state) { s.servers = append(s.servers, serverOf("late", "after", "anew")) }
	worded := func(s *state) {
		s.servers[0].Tools = serverOf("", "zeta", "alpha").Tools
		s.servers[0].About = "Other words."
	}
	narrow := func(s *state) { s.mode = router.Mode{Slug: "narrow", Allowed: &[]string{"b"}} }
	down := func(s *state) { s.servers[0].Unavailable = "it is down" }
	for _, tt := range []struct {
		name, mode string
		change     func(s *state)
		told       int
		want       []string
	}{
		{"nothing", "all", func(*state) {}, 0, []string{"mcp_result", "alpha", "mid", "zeta"}},
		{"another server", "all", late, 1, []string{"mcp_result", "alpha", "mid", "zeta", "after", "anew"}},
		{"a mode", "all", narrow, 1, []string{"mcp_result", "mid"}},
		{"a server that is down", "all", down, 0, []string{"mcp_result", "alpha", "mid", "zeta"}},
		{"other words", "all", worded, 0, []string{"mcp_result", "alpha", "mid", "zeta"}},
		// What there is to search for is part of what mcp_search says.
		{"another server", "dispatch", late, 1, []string{"mcp_search", "mcp_call", "mcp_read"}},
		{"other words", "dispatch", worded, 1, []string{"mcp_search", "mcp_call", "mcp_read"}},
		{"another server while one starts", "dispatch", func(s *state) { late(s); s.starting = true }, 0, []string{"mcp_search", "mcp_call", "mcp_read"}},
		{"a pin", "dispatch", func(s *state) { s.servers[1].Policy.AlwaysLoad = true }, 1, []string{"mcp_search", "mcp_call", "mcp_read", "mid"}},
		{"a pin", "dynamic", func(s *state) { s.servers[1].Policy.AlwaysLoad = true }, 1, []string{"mcp_load", "mcp_call", "mcp_read", "mid"}},
	} {
		t.Run(tt.mode+" "+tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newEngine(t, serverOf("a", "zeta", "alpha"), serverOf("b", "mid"))
				f.settings.Gateway.Mode = protocol.GatewayMode(tt.mode)
				face := faceOf(t, f)
				p, silent := join(t, face, "test", true), join(t, face, "silent", true)
				listNames(t, p.Client)
				f.change(tt.change)
				if got := notified(p); len(got) != tt.told || len(got) > 0 && got[0] != listChanged {
					t.Errorf("told %q, want %d times of the list", got, tt.told)
				}
				f.change(func(*state) {})
				if got := notified(p); len(got) > 0 {
					t.Errorf("nothing more has changed: told %q, want nothing", got)
				}
				if got := listNames(t, p.Client); !slices.Equal(got, tt.want) {
					t.Errorf("got %q, want %q", got, tt.want)
				}
				if got := notified(silent); len(got) > 0 {
					t.Errorf("a client that has not listed: told %q, want nothing", got)
				}
			})
		})
	}
}

// What was withheld of a change of words while servers were starting is told when
// none is any more.
func TestTools_wordsWhenAllHaveStarted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newEngine(t, serverOf("a", "alpha"))
		f.settings.Gateway.Mode = protocol.GatewayDispatch
		p := join(t, faceOf(t, f), "test", true)
		listNames(t, p.Client)
		for _, name := range []string{"b", "c"} {
			f.change(func(s *state) { s.servers, s.starting = append(s.servers, serverOf(name, name)), true })
		}
		if got := notified(p); len(got) > 0 {
			t.Errorf("while servers start: told %q, want nothing", got)
		}
		f.change(func(s *state) { s.starting = false })
		if got := notified(p); !slices.Equal(got, []string{listChanged}) {
			t.Errorf("when they have started: told %q, want once of the list", got)
		}
	})
}

// A server that comes and goes is no news; one that is new is, with its tools
// behind the others. A tool that is back has its place.
func TestTools_keepTheirPlaces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newEngine(t, serverOf("m", "middle"), serverOf("z", "zeta"))
		f.settings.Gateway.Mode = protocol.GatewayAll
		p := join(t, faceOf(t, f), "test", true)
		listNames(t, p.Client)
		f.change(func(s *state) { s.servers = append(s.servers, serverOf("a", "alpha")) })
		want := []string{"mcp_result", "middle", "zeta", "alpha"}
		if got := listNames(t, p.Client); !slices.Equal(got, want) {
			t.Errorf("a new server: got %q, want %q", got, want)
		}
		narrow := func(s *state) { s.mode = router.Mode{Slug: "narrow", Blocked: []string{"m"}} }
		f.change(narrow)
		if got, want := listNames(t, p.Client), []string{"mcp_result", "zeta", "alpha"}; !slices.Equal(got, want) {
			t.Errorf("a server out of scope: got %q, want %q", got, want)
		}
		f.change(func(s *state) { s.mode = router.Mode{} })
		if got := listNames(t, p.Client); !slices.Equal(got, want) {
			t.Errorf("back in scope: got %q, want %q", got, want)
		}
	})
}

// A mode that is set in mid-session holds for the next call too, whether or not
// the client has listed again.
func TestTools_modeHoldsForCalls(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"all", "dynamic"} {
		f := newEngine(t, serverOf("in", "echo"), serverOf("out", "count"))
		f.settings.Gateway.Mode = protocol.GatewayMode(mode)
		p := join(t, faceOf(t, f), "test", true)
		callClient(t, p.Client, "mcp_load", map[string]any{"names": []string{"echo", "count"}})
		for _, allowed := range [][]string{{"in"}, {"in", "out"}} {
			f.change(func(s *state) { s.mode = router.Mode{Slug: "narrow", Allowed: &allowed} })
			for _, name := range []string{"echo", "count"} {
				text, r := callClient(t, p.Client, name, nil)
				if runs := name == "echo" || len(allowed) > 1; r.IsError == runs {
					t.Errorf("%s, allowed %q: %s: got %s, want it to run: %t", mode, allowed, name, text, runs)
				} else if !runs && !strings.Contains(text, "allowedMcpServers") {
					t.Errorf("%s: got %s, want the rule", mode, text)
				}
			}
		}
	}
}

// What a tool's server says of it is passed as it came: schemas and `_meta` byte
// for byte, the title and the annotations.
func TestTools_asTheServerSaysIt(t *testing.T) {
	t.Parallel()
	s := fakeServer{ServerInput: router.ServerInput{Name: "std", Tools: []json.RawMessage{json.RawMessage(
		`{"name":"echo","title":"Echo","description":"d","inputSchema":{"type":"object","oneOf":[{"required":["a"]}],"x-own":1},` +
			`"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}}},"annotations":{"readOnlyHint":true},"_meta":{"example.org/kind":"mine"}}`)}}}
	f := newEngine(t, s)
	f.settings.Gateway.Mode, f.settings.Results.MaxChars = protocol.GatewayAll, 0
	raw := answerTo(t, faceOf(t, f), "tools/list", `{}`)
	for _, part := range []string{`"title":"Echo"`, `"description":"d"`, `"oneOf":[{"required":["a"]}]`, `"x-own":1`, `"n":{"type":"integer"}`, `"readOnlyHint":true`, `"example.org/kind":"mine"`} {
		if !strings.Contains(raw, part) {
			t.Errorf("%s is lost in %s", part, raw)
		}
	}
}

// A client that cuts long results is told how long those are that Winnow has cut,
// of each tool, by the server where it says so itself.
func TestTools_howLongResultsAre(t *testing.T) {
	t.Parallel()
	s := serverOf("std", "one", "two")
	s.Tools = append(s.Tools, json.RawMessage(`{"name":"three","inputSchema":{"type":"object"},"_meta":{"example.org/kind":"mine"}}`),
		json.RawMessage(`{"name":"four","inputSchema":{"type":"object"},"_meta":{"anthropic/maxResultSizeChars":7}}`))
	for _, mode := range []protocol.GatewayMode{protocol.GatewayDispatch, protocol.GatewayAll} {
		for _, limit := range []int{200_000, 0} {
			f := newEngine(t, s)
			f.settings.Gateway.Mode, f.settings.Results.MaxChars = mode, limit
			raw := answerTo(t, faceOf(t, f), "tools/list", `{}`)
			want := strings.Count(raw, `"inputSchema":`)
			if mode == protocol.GatewayAll {
				want-- // the fourth says it itself
			}
			if limit == 0 {
				want = 0
			}
			if got := strings.Count(raw, `"anthropic/maxResultSizeChars":200000`); got != want {
				t.Errorf("%s, maxChars %d: %d tools say so, want %d: %s", mode, limit, got, want, raw)
			}
			if mode == protocol.GatewayAll && (!strings.Contains(raw, `"example.org/kind":"mine"`) || strings.Count(raw, `"anthropic/maxResultSizeChars":7`) != 1) {
				t.Errorf("what the servers say is lost in %s", raw)
			}
		}
	}
}

// The user hears once of a client that is shown more tools than a request may
// hold.
func TestTools_tooMany(t *testing.T) {
	t.Parallel()
	f := newEngine(t, serverOf("std", "one", "two"))
	f.settings.Gateway.Mode, f.settings.MaxTools = protocol.GatewayAll, 1
	face := faceOf(t, f)
	for range 2 {
		p := join(t, face, "test", true)
		listNames(t, p.Client)
		listNames(t, p.Client)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.shown) != 1 || f.shown[0].Setting != "winnow.gateway.mode" ||
		!strings.Contains(f.shown[0].Message, `"test"`) || !strings.Contains(f.shown[0].Message, "2 tools") {
		t.Errorf("the user is told %+v, want one message", f.shown)
	}
}

// What a client does when it is told of a change is remembered for its next
// session, whatever its name says.
func TestTools_remembersWhoListsAgain(t *testing.T) {
	t.Parallel()
	fixed, grows := []string{"mcp_search", "mcp_call", "mcp_read"}, []string{"mcp_load", "mcp_call", "mcp_read"}
	for _, tt := range []struct {
		name          string
		listsAgain    bool
		before, after []string
	}{
		{"nobody knows", true, fixed, grows},
		{"nobody knows", false, fixed, fixed},
		{"opencode", false, grows, fixed},
		{"opencode", true, grows, grows},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newEngine(t, serverOf("kept", "echo"), serverOf("out", "count"))
			face := faceOf(t, f)
			p := join(t, face, tt.name, true)
			if got := listNames(t, p.Client); !slices.Equal(got, tt.before) {
				t.Errorf("%s: the first session sees %q, want %q", tt.name, got, tt.before)
			}
			f.change(func(s *state) { s.mode = router.Mode{Slug: "narrow", Allowed: &[]string{"kept"}} })
			if got := notified(p); !slices.Equal(got, []string{listChanged}) {
				t.Errorf("%s: told %q, want once of the list", tt.name, got)
			}
			for range 3 {
				callClient(t, p.Client, "mcp_call", byName("echo", nil))
			}
			if tt.listsAgain {
				listNames(t, p.Client)
			}
			if got := listNames(t, join(t, face, tt.name, true).Client); !slices.Equal(got, tt.after) {
				t.Errorf("%s, lists again %t: the next session sees %q, want %q", tt.name, tt.listsAgain, got, tt.after)
			}
		})
	}
}

// TestTools_searchAgain: a search answers from what is known; the same again
// waits once for a server that it was told to have missed, until a second after
// the last other one came up.
func TestTools_searchAgain(t *testing.T) {
	t.Parallel()
	for _, comes := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			slow := fakeServer{ServerInput: router.ServerInput{Name: "slow"}, Unknown: true}
			f := newEngine(t, serverOf("known", "count_up"), slow)
			f.settings.Gateway.Mode = protocol.GatewayDispatch
			p := join(t, faceOf(t, f), "test", true)
			begun := time.Now()
			search := func(after time.Duration, missed bool) {
				t.Helper()
				text, _ := callClient(t, p.Client, "mcp_search", map[string]any{"query": "count"})
				if waited := time.Since(begun); waited != after || strings.Contains(text, "still starting: slow") != missed {
					t.Errorf("the server comes: %t: got %s after %s, want it missed (%t) after %s", comes, text, waited, missed, after)
				}
			}
			search(0, true)
			if comes {
				go func() {
					time.Sleep(time.Second / 2) // of synctest's clock
					f.change(func(s *state) { s.servers[1] = serverOf("slow", "count_down") })
				}()
				search(time.Second/2, false)
				return
			}
			search(time.Second, true) // after the other came up
			search(time.Second, true)
		})
	}
}

// A server that prints nothing is waited for while it does something, as in the
// download of its program, until the time to settle is over.
func TestTools_searchOfBusy(t *testing.T) {
	t.Parallel()
	for busy, want := range map[time.Duration]time.Duration{
		3500 * time.Millisecond: 5 * time.Second, // the second in which it ends, and a quiet one
		time.Minute:             10 * time.Second,
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newEngine(t, serverOf("known", "count_up"), fakeServer{ServerInput: router.ServerInput{Name: "slow"}, Unknown: true})
			f.settings.Gateway.Mode = protocol.GatewayDispatch
			begun := time.Now()
			f.busyUntil = begun.Add(busy)
			p := join(t, faceOf(t, f), "test", true)
			for range 2 { // the first search does not wait
				callClient(t, p.Client, "mcp_search", map[string]any{"query": "count"})
			}
			if waited := time.Since(begun); waited != want {
				t.Errorf("busy for %s: waited %s, want %s", busy, waited, want)
			}
		})
	}
}

// Until the tools of all servers are known, who wants every tool listed has a way
// to the others, and keeps it; a call waits for a tool that is not known, until
// the gateway's time to settle is over.
func TestTools_unknown(t *testing.T) {
	t.Parallel()
	for _, comes := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			unknown := fakeServer{ServerInput: router.ServerInput{Name: "slow"}, Unknown: true}
			f := newEngine(t, unknown)
			f.settings.Gateway.Mode = protocol.GatewayAll
			p := join(t, faceOf(t, f), "test", true)
			want := []string{"mcp_search", "mcp_call", "mcp_read", "mcp_result"}
			if got := listNames(t, p.Client); !slices.Equal(got, want) {
				t.Errorf("the first list: got %q, want %q", got, want)
			}
			begun := time.Now()
			if comes {
				go func() {
					time.Sleep(time.Second) // of synctest's clock
					f.change(func(s *state) { s.servers[0] = serverOf("slow", "count") })
				}()
			}
			text, r := callClient(t, p.Client, "count", nil)
			if waited := time.Since(begun); comes && waited != time.Second || !comes && waited < 5*time.Second {
				t.Errorf("the server comes: %t: answered after %s", comes, waited)
			}
			if r.IsError == comes {
				t.Errorf("the server comes: %t: got %s", comes, text)
			}
			if !comes {
				begun = time.Now()
				text, _ := callClient(t, p.Client, "mcp_search", map[string]any{"query": "count"})
				if !strings.Contains(text, "still starting: slow") || time.Since(begun) != 0 {
					t.Errorf("a search after the time to settle: got %s after %s, want at once what was not searched", text, time.Since(begun))
				}
				return
			}
			if got, want := listNames(t, p.Client), append(want, "count"); !slices.Equal(got, want) {
				t.Errorf("the next list: got %q, want %q", got, want)
			}
		})
	}
}
