package proxy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
)

// What providers bill for a prompt's bytes, where an uncached byte of a request
// that writes no cache is 1.
const (
	cacheReadPrice  = .1
	cacheWritePrice = 1.25
)

// bill is what requests cost, in bytes of the prompt that are weighted by the prices
// of a cache: what a request shares with the beginning of any before is read.
type bill struct {
	seen []string
	// turns are the costs of each turn; shared and bytes are sums over all requests
	// but the first.
	turns         []float64
	shared, bytes int
}

// add adds a request of a turn.
func (b *bill) add(t *testing.T, order []string, turn int, body []byte) {
	t.Helper()
	prompt := promptOf(t, order, body)
	shared := 0
	for _, before := range b.seen {
		shared = max(shared, commonPrefix(before, prompt))
	}
	for len(b.turns) <= turn {
		b.turns = append(b.turns, 0)
	}
	b.turns[turn] += cacheReadPrice*float64(shared) + cacheWritePrice*float64(len(prompt)-shared)
	if len(b.seen) > 0 {
		b.shared += shared
		b.bytes += len(prompt)
	}
	b.seen = append(b.seen, prompt)
}

// promptOf returns a request as its model reads it: a provider gives no heed to how
// a text is written, to marks, or to the order of members.
func promptOf(t *testing.T, order []string, body []byte) string {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal(body, &members); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, name := range order {
		elements, isList := members[name].([]any)
		if !isList {
			elements = []any{members[name]}
		}
		if name == "tools" && len(elements) == 1 { // Gemini's lie one level deeper
			if g, ok := elements[0].(map[string]any)["functionDeclarations"].([]any); ok {
				elements = g
			}
		}
		for _, e := range elements {
			line, err := json.Marshal(plainParts(e))
			if err != nil {
				t.Fatal(err)
			}
			b.Write(append(line, '\n'))
		}
	}
	return b.String()
}

func plainParts(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = plainParts(v[i])
		}
	case map[string]any:
		delete(v, "cache_control")
		for k, member := range v {
			if text, ok := member.(string); ok && k == "content" {
				member = []any{map[string]any{"type": "text", "text": text}}
			}
			v[k] = plainParts(member)
		}
	}
	return v
}

// sum returns the cost of the turns from one on.
func (b *bill) sum(from int) (all float64) {
	for _, cost := range b.turns[min(from, len(b.turns)):] {
		all += cost
	}
	return all
}

var costTurns = []string{
	"take a screenshot of the page at localhost:3000", "remember that Ada works at Acme", "what did I say of Ada?",
	"list the files in the folder src", "search the files for TODO and tell me where they are", "write down in notes.txt what was found",
}

// costRuns are conversations of six turns. Each calls ask with the turn and with
// what the client sends, as [shapedChat.write] has it.
var costRuns = map[string]func(ask func(turn int, said ...string)){
	"six turns": func(ask func(int, ...string)) { converseFrom(nil, 0, ask) },
	"answers regenerated": func(ask func(int, ...string)) {
		converseFrom(nil, 0, func(turn int, said ...string) {
			ask(turn, said...)
			ask(turn, said...)
		})
	},
	"a message edited": func(ask func(int, ...string)) {
		said := converse3(ask)
		edited := slices.Concat(said[:6], []string{"u:no, what do you know of Acme?"})
		ask(2, edited...)
		converseFrom(append(edited, "a:It is known."), 3, ask)
	},
	"forked": func(ask func(int, ...string)) {
		said := converse3(ask)
		branch := slices.Concat(said[:3], []string{"u:click on the button of that page"})
		ask(3, branch...)
		ask(3, append(branch, "c:branch")...)
		converseFrom(said, 3, ask)
	},
	"a subagent": func(ask func(int, ...string)) {
		said := converse3(ask)
		agent := []string{"u:You look for files. Find all that name a person, and report."}
		ask(3, agent...)
		ask(3, append(agent, "c:agent")...)
		converseFrom(said, 3, ask)
	},
	"compacted": func(ask func(int, ...string)) {
		converse3(ask)
		converseFrom([]string{"s:", "a:We looked at the page, and at Ada."}, 3, ask)
	},
}

// converseFrom goes on from a turn to the last, with a call and an answer in each,
// and returns all that was said.
func converseFrom(said []string, turn int, ask func(int, ...string)) []string {
	for ; turn < len(costTurns); turn++ {
		said = converseTurn(said, turn, ask)
	}
	return said
}

// converse3 has the first three turns.
func converse3(ask func(int, ...string)) (said []string) {
	for turn := range 3 {
		said = converseTurn(said, turn, ask)
	}
	return said
}

func converseTurn(said []string, turn int, ask func(int, ...string)) []string {
	said = append(slices.Clip(said), "u:"+costTurns[turn])
	for _, next := range []string{fmt.Sprintf("c:c%d", turn), fmt.Sprintf("a:That was number %d, and this is what came of it.", turn)} {
		ask(turn, said...)
		said = append(said, next)
	}
	return said
}

// TestAlone_cost prints what conversations cost each client directly and behind the
// proxy, with the tools of six real servers. They are to cost at least a quarter less,
// also from the second turn on; there a load of tools, or a subagent with a prompt of
// its own, may use up what is saved, and both together 7 % more.
func TestAlone_cost(t *testing.T) {
	t.Parallel()
	h := enginetest.Begin(t, map[string]any{"searchTurns": 0, "maxTools": 1000}, configtest.NPMServers(t, t.TempDir()), nil)
	all := h.Open("hello").Tools
	h.Close()
	t.Logf("%d tools; KiB weighted by a cache's prices (read %v, write %v)", len(all), cacheReadPrice, cacheWritePrice)
	t.Logf("%-24s %-22s %9s %9s %8s %14s %22s", "client", "conversation", "direct", "proxy", "all", "from turn two", "share of the prompt before")
	for i, name := range []string{"Claude Code", "Codex", "opencode and Qwen Code", "Gemini CLI", "VS Code"} {
		for j, run := range []string{"six turns", "six turns, a load", "answers regenerated", "a message edited", "forked", "a subagent", "compacted", "a subagent, a load"} {
			if !testing.Verbose() && j%5 != i {
				continue // each kind with one client; all of them, when the table is read, take minutes
			}
			s := shapedClients[name].start(t, `{}`)
			s.tools = s.tools[:1]
			for i := range all {
				s.tools = append(s.tools, s.wire.tool("mcp__"+all[i].Server+"__"+all[i].Tool, all[i].Description, all[i].InputSchema))
			}
			plain, loads := strings.CutSuffix(run, ", a load")
			direct, through := s.cost(t, costRuns[plain], loads)
			whole, later := through.sum(0)/direct.sum(0), through.sum(1)/direct.sum(1)
			t.Logf("%-24s %-22s %9.0f %9.0f %+7.0f%% %+13.0f%% %8.0f%% → %.0f%%", name, run, direct.sum(0)/1024, through.sum(0)/1024,
				100*(whole-1), 100*(later-1), 100*float64(direct.shared)/float64(direct.bytes), 100*float64(through.shared)/float64(through.bytes))
			want := .75
			switch {
			case run == "a subagent, a load":
				// The prompt behind the tools is written again once for the load, and once
				// with the subagent's own list of tools, where a direct client's are read:
				// of the clients here 18 KiB of prompt and 25 of tools, at 1.25 in place of
				// .1. A subagent has a window of its own, so they are not one list. For the
				// whole it is less all the same.
				want = 1.07
			case loads, run == "a subagent": // one of them
				want = 1
			}
			if whole > .75 || later > want {
				t.Errorf("%s, %s: costs %.2f of what it costs directly, and %.2f from the second turn on; want at most .75 and %v", name, run, whole, later, want)
			}
		}
	}
}

// cost has a conversation, in whose third turn the model asks for more tools where
// it loads, and returns the bills of what the client sent and the provider got.
func (s *shapedChat) cost(t *testing.T, run func(func(int, ...string)), loads bool) (direct, through bill) {
	t.Helper()
	sent, asked := 0, 0
	run(func(turn int, said ...string) {
		s.model.mu.Lock()
		s.model.next = func(int) string {
			if loads && turn == 2 && bytes.Contains(s.model.bodies[len(s.model.bodies)-1], []byte(`"mcp_load"`)) {
				loads = false
				return s.wire.answer(s.wire.call("load", "mcp_load"))
			}
			return s.wire.answer(s.wire.text("x", "ok"))
		}
		s.model.mu.Unlock()
		body := s.write(asked, said...)
		asked++
		resp, err := http.Post(s.url, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if got, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("got %d %s (%v)", resp.StatusCode, got, err)
		}
		direct.add(t, s.wire.order, turn, []byte(body))
		s.model.mu.Lock()
		defer s.model.mu.Unlock()
		for ; sent < len(s.model.bodies); sent++ {
			through.add(t, s.wire.order, turn, s.model.bodies[sent])
		}
	})
	return direct, through
}
