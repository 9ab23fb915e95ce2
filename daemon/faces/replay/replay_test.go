package replay_test

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/faces/replay"
	"github.com/winnow-mcp/winnow/daemon/history"
	"github.com/winnow-mcp/winnow/protocol"
)

// things are what the tools of the tests' servers are about.
var things = []string{"invoice", "calendar", "photo", "recipe", "sensor", "playlist", "parcel", "garden", "lecture", "engine"}

// verbs are what they do.
var verbs = []string{"create", "delete", "list", "update", "archive", "share", "print", "count", "rename", "export"}

// lists are tools as a debug log has them: of servers office and home, a hundred.
func lists() *history.Offer {
	o := &history.Offer{}
	for i, thing := range things {
		server := []string{"office", "home"}[i%2]
		for _, verb := range verbs {
			o.Tools = append(o.Tools, history.Tool{
				Name: "mcp__" + server + "__" + verb + "_" + thing, Description: verb + " a " + thing, Schema: json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"}}}`),
			})
		}
	}
	return o
}

// chat is a conversation of messages, each with the call that it led to.
func chat(id string, at time.Time, said ...string) *history.Conversation {
	b := history.Builder{Conversation: &history.Conversation{Client: "claude", ID: id}}
	for i, one := range said {
		message, call, _ := strings.Cut(one, " -> ")
		b.User(at.Add(time.Duration(i)*time.Minute), message, false)
		if i == 0 {
			b.Offer(at, *lists())
		}
		b.Call(at, history.Call{ID: fmt.Sprint("c", i), Name: call})
		b.Usage(at, history.Usage{Input: 1000, CacheRead: 20000, CacheWrite: 1000})
		b.End()
		b.Usage(at, history.Usage{Input: 1000, CacheRead: 22000, CacheWrite: 1000})
		b.End()
	}
	return b.Conversation
}

var monday = time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)

// run replays conversations.
func run(t testing.TB, o replay.Options, conversations ...*history.Conversation) *replay.Report {
	t.Helper()
	o.Log = &history.Log{Conversations: conversations}
	o.ShutdownTime = 10 * time.Second
	if o.Initialize.WorkspaceFolders == nil {
		o.Initialize.WorkspaceFolders = []protocol.WorkspaceFolder{{URI: "file://" + t.TempDir(), Name: "w"}}
	}
	home := t.TempDir()
	r, err := replay.Run(context.Background(), engine.Options{Environ: func(name string) (string, bool) {
		value, ok := map[string]string{"HOME": home, "XDG_CONFIG_HOME": home}[name]
		return value, ok
	}}, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func settings(text string) protocol.InitializeParams {
	return protocol.InitializeParams{Settings: json.RawMessage(text)}
}

// TestRun_outcomes: each way in which a call can end.
func TestRun_outcomes(t *testing.T) {
	t.Parallel()
	o := replay.Options{Initialize: settings(`{"initialK":5,"named":8,"searchK":3}`)}
	folder := t.TempDir()
	configtest.Write(t, filepath.Join(folder, ".vscode", "winnow.json"), `{"servers":{"home":{"disabledTools":["export_calendar"]}}}`)
	o.Initialize.WorkspaceFolders, o.Initialize.Trusted = []protocol.WorkspaceFolder{{URI: "file://" + folder, Name: "w"}}, true
	r := run(t, o,
		chat("1", monday, "please create the invoice -> mcp__office__create_invoice", "thanks -> mcp__office__create_invoice"),
		chat("2", monday.Add(time.Hour), "please print the recipe -> mcp__home__share_recipe"),
		chat("3", monday.Add(2*time.Hour), "the boss wants to see how the playlist sounds -> mcp__home__archive_engine"),
		chat("4", monday.Add(3*time.Hour), "please export the calendar -> mcp__home__export_calendar"),
		chat("5", monday.Add(4*time.Hour), "please draw a map -> mcp__maps__draw"),
		chat("6", monday.Add(5*time.Hour), "read a file -> Read"),
	)
	want := replay.Tally{replay.InFull: 2, replay.ByName: 1, replay.NotFound: 1, replay.OutOfScope: 1, replay.Unknown: 1}
	if !maps.Equal(r.Calls, want) || r.Own != 1 {
		t.Errorf("got %v and %d own, want %v; misses %+v", r.Calls, r.Own, want, r.Misses)
	}
	if r.Share.Of != 4 || r.Share.Share != 0.5 || r.FirstShare.Of != 3 {
		t.Errorf("shares: %+v, first %+v", r.Share, r.FirstShare)
	}
	if len(r.Misses) != 1 || r.Misses[0].Tool != "archive_engine" || r.Misses[0].Why == "" {
		t.Errorf("misses: %+v", r.Misses)
	}
	if r.Costs.Rounds != 2 || r.Costs.TokensAfter >= r.Costs.TokensBefore || r.Conversations != 6 {
		t.Errorf("costs %+v of %d conversations", r.Costs, r.Conversations)
	}
}

// TestRun_learns: what the model had to fetch for a message comes with the next such
// message, and with none before.
func TestRun_learns(t *testing.T) {
	t.Parallel()
	o := replay.Options{Initialize: settings(`{"initialK":5,"named":0}`)}
	const message = "the quarterly crew gathering has to move to Xanadu -> mcp__home__archive_engine"
	first, second := chat("1", monday, message), chat("2", monday.Add(time.Hour), message)
	second.Client = "codex"
	r := run(t, o, second, first) // in whatever order they were read
	ends := map[string]replay.Tally{}
	for _, row := range r.Clients {
		ends[row.Name] = row.Calls
	}
	if ends["claude"][replay.InFull] != 0 || ends["codex"][replay.InFull] != 1 {
		t.Errorf("got %v", ends)
	}
	alone := run(t, o, first)
	if !maps.Equal(alone.Calls, ends["claude"]) {
		t.Errorf("alone it ends %v, before another %v", alone.Calls, ends["claude"])
	}
}

// TestRun_deferred: a client whose model searches is compared with what that sends.
func TestRun_deferred(t *testing.T) {
	t.Parallel()
	plain := chat("1", monday, "please create the invoice -> mcp__office__create_invoice")
	deferred := chat("2", monday, "please create the invoice -> mcp__office__create_invoice")
	names := history.Offer{Deferred: true}
	for _, one := range lists().Tools {
		names.Tools = append(names.Tools, history.Tool{Name: one.Name})
	}
	o := replay.Options{}
	before := run(t, o, plain).Costs.TokensBefore
	deferred.Turns = append([]history.Turn{{At: monday, Message: "hello", Offered: &names}}, deferred.Turns...)
	deferred.Turns[1].Offered = &history.Offer{Deferred: true, Tools: []history.Tool{{Name: "Read"}}} // its servers start anew
	plain.Turns[0].Requests = nil                                                                     // it says what the tools are
	if got := run(t, o, deferred, plain).Costs.TokensBefore; got == 0 || got >= before/2 {
		t.Errorf("names cost %d tokens, the tools %d", got, before)
	}
}

// TestRun_groups: a client that hides tools behind groups is compared with what it
// sends, and what is hidden can be called.
func TestRun_groups(t *testing.T) {
	t.Parallel()
	all := chat("1", monday, "please create the invoice -> mcp__office__create_invoice")
	before := run(t, replay.Options{}, all).Costs.TokensBefore
	hidden := chat("2", monday.Add(time.Hour), "please print the recipe -> mcp__home__print_recipe")
	few := append(lists().Tools[:5:5], history.Tool{Name: "activate_home", Description: "recipes and more"})
	hidden.Client, hidden.Turns[0].Offered = history.VSCode, &history.Offer{Groups: true, Tools: few}
	r := run(t, replay.Options{Since: monday.Add(time.Minute)}, all, hidden)
	if got := r.Costs.TokensBefore; got == 0 || got >= before/5 || r.Calls[replay.InFull] != 1 {
		t.Errorf("it sends %d tokens of %d; calls %v", got, before, r.Calls)
	}
}

// TestRun_cutNames: VS Code's names hold what a server calls itself, cut; the tools
// tell which server it is.
func TestRun_cutNames(t *testing.T) {
	t.Parallel()
	o := history.Offer{Groups: true}
	for i, one := range lists().Tools {
		if i/10%2 == 0 { // of office
			o.Tools = append(o.Tools, history.Tool{Name: "mcp_my_big_office_" + strings.TrimPrefix(one.Name, "mcp__office__"), Description: one.Description})
		}
	}
	plain := chat("1", monday, "please create the invoice -> mcp__office__create_invoice")
	cut := chat("2", monday.Add(time.Hour), "please create the invoice -> mcp_my_big_office_create_invoice")
	cut.Client, cut.Turns[0].Offered = history.VSCode, &o
	r := run(t, replay.Options{}, plain, cut)
	if len(r.Servers) != 1 || r.Servers[0].Name != "office" || r.Calls[replay.InFull] != 2 {
		t.Errorf("got %v of %+v", r.Calls, r.Servers)
	}
}

// TestRun_hostTools: what a host has now is known, under the names that its calls tell.
func TestRun_hostTools(t *testing.T) {
	t.Parallel()
	b := history.Builder{Conversation: &history.Conversation{Client: history.VSCode, ID: "1"}}
	b.User(monday, "please write the beans down", false)
	b.Call(monday, history.Call{ID: "c", Name: "mcp_secure-filesy_write_file", Server: "filesystem", Tool: "write_file"})
	tools := []history.Tool{{Name: "mcp_secure-filesy_write_file", Description: "writes"}, {Name: "mcp_secure-filesy_read_file"}, {Name: "mcp_winnow_mcp_mcp_search"}, {Name: "read_file"}}
	r := run(t, replay.Options{Tools: tools}, b.Conversation)
	if len(r.Servers) != 1 || r.Servers[0].Name != "filesystem" || r.Calls[replay.InFull] != 1 || len(r.Idle) != 0 {
		t.Errorf("got %v of %+v; idle %+v", r.Calls, r.Servers, r.Idle)
	}
}

// TestRun_hostReferences: VS Code cuts what a server calls itself in the names of its
// tools; its references tell the server, also where another one had the name before.
func TestRun_hostReferences(t *testing.T) {
	t.Parallel()
	b := history.Builder{Conversation: &history.Conversation{Client: history.VSCode, ID: "1"}}
	b.User(monday, "please write the beans down", false)
	b.Call(monday, history.Call{ID: "c", Name: "mcp_changing2_write", Server: "cellar", Tool: "write"})
	tools := []history.Tool{
		{Name: "mcp_everything_re_echo", Description: "echoes", Reference: "everything/echo"},
		{Name: "mcp_everything_re_get-sum", Reference: "everything/get-sum"},
		{Name: "mcp_changing2_dig", Description: "digs", Reference: "quarry/dig"}, {Name: "mcp_changing5_write", Reference: "cellar/write"},
	}
	r := run(t, replay.Options{Tools: tools}, b.Conversation)
	if len(r.Servers) != 1 || r.Servers[0].Name != "cellar" || r.Calls[replay.InFull] != 1 || len(r.Idle) != 2 || r.Idle[0].Server != "everything" || r.Idle[1].Server != "quarry" {
		t.Errorf("got %v of %+v; idle %+v", r.Calls, r.Servers, r.Idle)
	}
}

// TestRun_since: earlier messages are left out.
func TestRun_since(t *testing.T) {
	t.Parallel()
	c := chat("1", monday, "please create the invoice -> mcp__office__create_invoice", "please print the recipe -> mcp__home__print_recipe")
	if r := run(t, replay.Options{Since: monday.Add(30 * time.Second)}, c); r.Messages != 1 || r.Calls[replay.InFull] != 1 {
		t.Errorf("got %d messages, %v", r.Messages, r.Calls)
	}
}

// TestRun_here: conversations of other folders are left out.
func TestRun_here(t *testing.T) {
	t.Parallel()
	here, below, beside, nowhere := chat("1", monday, "one -> x"), chat("2", monday, "two -> x"), chat("3", monday, "three -> x"), chat("4", monday, "four -> x")
	here.Folder, below.Folder, beside.Folder = "/w", "/w/in", "/w..other"
	if r := run(t, replay.Options{Here: "/w"}, here, below, beside, nowhere); r.Messages != 2 {
		t.Errorf("got %d messages", r.Messages)
	}
}

// TestRun_gateway: what a client calls of Winnow is the tool behind it.
func TestRun_gateway(t *testing.T) {
	t.Parallel()
	c := chat("1", monday, "please create the invoice -> mcp__winnow__create_invoice", "please print the recipe -> mcp__winnow__home_print_recipe",
		"please dance -> mcp__winnow__dance", "search -> mcp__winnow__mcp_search")
	if r := run(t, replay.Options{}, c); r.Calls.Known() != 2 || r.Calls[replay.Unknown] != 1 || r.Own != 1 {
		t.Errorf("got %v and %d own", r.Calls, r.Own)
	}
}

// TestRun_grid: other settings are tried, and pins worked out.
func TestRun_grid(t *testing.T) {
	t.Parallel()
	const said = " -> mcp__home__archive_engine"
	r := run(t, replay.Options{Grid: true, Initialize: settings(`{"initialK":5,"named":0,"learn":{"loads":false}}`)},
		chat("1", monday, "how does the playlist sound"+said), chat("2", monday.Add(time.Hour), "where is the photo"+said))
	found := map[string]replay.Other{}
	for _, other := range r.Others {
		found[other.Set] = other
	}
	if _, ok := found[`"winnow.initialK": 10`]; !ok {
		t.Errorf("got %+v", r.Others)
	}
	pin := found[`"alwaysLoad": ["archive_engine"] in the entry of "home"`]
	if pin.Share.Share != 1 || pin.Rounds != 0 || pin.TokensAfter <= r.Costs.TokensAfter/r.Costs.Requests {
		t.Errorf("the pin: %+v of %+v", pin, r.Costs)
	}
}

// TestReport_page: it loads nothing and runs nothing, and has no text that was taken out.
func TestReport_page(t *testing.T) {
	t.Parallel()
	r := run(t, replay.Options{Grid: true, Initialize: settings(`{"initialK":5,"named":0}`)},
		chat("1", monday, `the <script src="https://evil.example/x.js"></script> Xanadu gathering -> mcp__home__archive_engine`))
	page := func(editor bool) string {
		var out strings.Builder
		if err := r.WritePage(&out, replay.Readers(), editor); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	for _, editor := range []bool{false, true} {
		text := page(editor)
		if !strings.Contains(text, "default-src &#39;none&#39;") && !strings.Contains(text, "default-src 'none'") {
			t.Error("the page forbids nothing")
		}
		for _, loads := range []string{"<script", "<img", "<link", "<iframe", "src=", "@import", "url(", `href="http`, "onload", "<form"} {
			if i := strings.Index(text, loads); i >= 0 && !strings.Contains(text[max(0, i-12):i], "&lt;script ") {
				t.Errorf("the page has %q", text[max(0, i-20):min(len(text), i+60)])
			}
		}
		if strings.Contains(text, "command:") != editor {
			t.Errorf("in an editor: %t, links %t", editor, !editor)
		}
	}
	if !strings.Contains(page(false), "Xanadu") || !strings.Contains(page(false), html.EscapeString(replay.Caution)) {
		t.Error("the page lacks the message, or the caution")
	}
	r.Redact()
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := r.WriteText(&text, replay.Readers()); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{page(true), string(raw), text.String()} {
		if strings.Contains(out, "Xanadu") || strings.Contains(out, "gathering") || !strings.Contains(out, "archive_engine") {
			t.Errorf("redacted: %s", out)
		}
	}
}

// BenchmarkRun replays ten thousand messages over a hundred tools.
func BenchmarkRun(b *testing.B) {
	var all []*history.Conversation
	for n := range 500 {
		var said []string
		for i := range 20 {
			thing, verb := (n*7+i*3)%len(things), verbs[(n+i*i)%len(verbs)]
			said = append(said, fmt.Sprintf("please %s the %s -> mcp__%s__%s_%s", verb, things[thing], []string{"office", "home"}[thing%2], verb, things[thing]))
		}
		all = append(all, chat(fmt.Sprint("s", n), monday.Add(time.Duration(n)*time.Hour), said...))
	}
	for b.Loop() {
		if r := run(b, replay.Options{}, all...); r.Messages != 10000 {
			b.Errorf("got %d messages", r.Messages)
		}
	}
}

// TestRun_ranks: of ten tools that fit a message alike, those that are neither
// attached nor named are found by their rank, as far as one more search reaches.
func TestRun_ranks(t *testing.T) {
	t.Parallel()
	var all []*history.Conversation
	for i, thing := range things {
		all = append(all, chat(fmt.Sprint(i), monday.Add(time.Duration(i)*time.Hour), "please print it -> mcp__"+[]string{"office", "home"}[i%2]+"__print_"+thing))
	}
	r := run(t, replay.Options{Initialize: settings(`{"initialK":3,"named":2,"searchK":4,"learn":{"loads":false}}`)}, all...)
	want := replay.Tally{replay.InFull: 3, replay.ByName: 2, replay.Found: 4, replay.NotFound: 1}
	if !maps.Equal(r.Calls, want) {
		t.Errorf("got %v, want %v", r.Calls, want)
	}
	var ranks []int
	for _, m := range r.Misses {
		ranks = append(ranks, m.Rank)
		if m.Why == "" || (m.Outcome == replay.Found) != (m.Rank <= 9) {
			t.Errorf("a miss: %+v", m)
		}
	}
	if !slices.Equal(ranks, []int{10, 9, 8, 7, 6}) {
		t.Errorf("the ranks of the misses are %v", ranks)
	}
}
