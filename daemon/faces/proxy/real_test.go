package proxy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/faces/proxy"
	"github.com/winnow-mcp/winnow/router/tokens"
)

// proxyTurns are what a person says in a conversation of ten turns.
var proxyTurns = []string{
	"list the notes in the folder", "read the one about the garden", "remember when garlic is planted",
	"open the page of the seed shop", "take a screenshot of it", "what does the network tab say?",
	"write the prices into a note", "trace how fast the page loads", "what do you remember of garlic?", "thank you",
}

// clientWire is how a client writes one of the formats.
type clientWire struct {
	path string
	// tool declares a tool, and body puts a request together.
	tool func(name, description string, schema json.RawMessage) string
	body func(tools, messages []string) string
	user func(text string) string
	// call, text and result are what follows: a call of the model's, its words,
	// and what a call gave.
	call, text func(id, arg string) string
	result     func(id string) string
	// answer puts what the model said into an answer.
	answer func(said string) string
	// mark stands once in each declaration of a tool.
	mark string
	// order are the members of a body as the provider puts them before the model.
	order []string
}

var chatClient = clientWire{
	path: "/chat/completions",
	tool: func(name, description string, schema json.RawMessage) string {
		return fmt.Sprintf(`{"type":"function","function":{"name":%q,"description":%s,"parameters":%s}}`, name, quoted(description), schema)
	},
	body: func(tools, messages []string) string {
		return fmt.Sprintf(`{"model":"m","messages":[{"role":"system","content":%s},%s],"tools":[%s]}`, systemText, strings.Join(messages, ","), strings.Join(tools, ","))
	},
	user: func(text string) string { return fmt.Sprintf(`{"role":"user","content":%q}`, text) },
	text: func(_, text string) string { return fmt.Sprintf(`{"role":"assistant","content":%q}`, text) },
	call: func(id, name string) string {
		return fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":%q,"type":"function","function":{"name":%q,"arguments":"{\"query\":\"performance trace\"}"}}]}`, id, name)
	},
	result: func(id string) string { return fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":"done"}`, id) },
	answer: func(said string) string { return `{"choices":[{"index":0,"message":` + said + `}]}` },
	mark:   `"type":"function"`,
	order:  []string{"tools", "messages"},
}

var responsesClient = clientWire{
	path: "/responses",
	tool: func(name, description string, schema json.RawMessage) string {
		return fmt.Sprintf(`{"type":"function","name":%q,"description":%s,"strict":false,"parameters":%s}`, name, quoted(description), schema)
	},
	body: func(tools, messages []string) string {
		return fmt.Sprintf(`{"model":"m","instructions":%s,"input":[%s],"tools":[%s]}`, systemText, strings.Join(messages, ","), strings.Join(tools, ","))
	},
	user: func(text string) string { return fmt.Sprintf(`{"role":"user","content":%q}`, text) },
	text: func(id, text string) string {
		return fmt.Sprintf(`{"type":"message","id":"m%s","role":"assistant","content":[{"type":"output_text","text":%q}]}`, id, text)
	},
	call: func(id, name string) string {
		return fmt.Sprintf(`{"type":"function_call","id":"f%s","call_id":%q,"name":%q,"arguments":"{\"query\":\"performance trace\"}"}`, id, id, name)
	},
	result: func(id string) string {
		return fmt.Sprintf(`{"type":"function_call_output","call_id":%q,"output":"done"}`, id)
	},
	answer: func(said string) string { return `{"id":"r","output":[` + said + `]}` },
	mark:   `"type":"function"`,
	order:  []string{"tools", "instructions", "input"},
}

var messagesClient = clientWire{
	path: "/messages",
	tool: func(name, description string, schema json.RawMessage) string {
		return fmt.Sprintf(`{"name":%q,"description":%s,"input_schema":%s}`, name, quoted(description), schema)
	},
	body: func(tools, messages []string) string {
		return fmt.Sprintf(`{"model":"m","max_tokens":100,"system":%s,"messages":[%s],"tools":[%s]}`, systemText, strings.Join(messages, ","), strings.Join(tools, ","))
	},
	user: func(text string) string { return fmt.Sprintf(`{"role":"user","content":%q}`, text) },
	text: func(_, text string) string {
		return fmt.Sprintf(`{"role":"assistant","content":[{"type":"text","text":%q}]}`, text)
	},
	call: func(id, name string) string {
		return fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_use","id":%q,"name":%q,"input":{"query":"performance trace"}}]}`, id, name)
	},
	result: func(id string) string {
		return fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":"done"}]}`, id)
	},
	answer: func(said string) string { return `{"id":"r","type":"message",` + strings.TrimPrefix(said, "{") },
	mark:   `"input_schema":`,
	order:  []string{"tools", "system", "messages"},
}

var geminiClient = clientWire{
	path: "/models/m:generateContent",
	tool: func(name, description string, schema json.RawMessage) string {
		return fmt.Sprintf(`{"name":%q,"description":%s,"parametersJsonSchema":%s}`, name, quoted(description), schema)
	},
	body: func(tools, messages []string) string {
		return fmt.Sprintf(`{"systemInstruction":{"parts":[{"text":%s}]},"contents":[%s],"tools":[{"functionDeclarations":[%s]}]}`, systemText, strings.Join(messages, ","), strings.Join(tools, ","))
	},
	user: func(text string) string { return fmt.Sprintf(`{"role":"user","parts":[{"text":%q}]}`, text) },
	text: func(_, text string) string { return fmt.Sprintf(`{"role":"model","parts":[{"text":%q}]}`, text) },
	call: func(_, name string) string {
		return fmt.Sprintf(`{"role":"model","parts":[{"functionCall":{"name":%q,"args":{"query":"performance trace"}},"thoughtSignature":"s"}]}`, name)
	},
	result: func(string) string {
		return `{"role":"user","parts":[{"functionResponse":{"name":"bash","response":{"output":"done"}}}]}`
	},
	answer: func(said string) string { return `{"candidates":[{"content":` + said + `,"finishReason":"STOP"}]}` },
	mark:   `"parametersJsonSchema":`,
	order:  []string{"tools", "systemInstruction", "contents"},
}

func quoted(text string) string {
	q, _ := json.Marshal(text) //nolint:errchkjson // a string is always written
	return string(q)
}

// systemText is as long as the system's text of an agent: some 4,000 tokens.
var systemText = quoted(strings.Repeat("You are an agent that works in a folder, by the tools that you have, and say what you do. ", 200))

// recordedModel answers requests in turn and keeps what it was sent.
type recordedModel struct {
	mu     sync.Mutex
	bodies [][]byte
	next   func(n int) string
}

func (m *recordedModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	m.mu.Lock()
	m.bodies = append(m.bodies, body)
	answer := m.next(len(m.bodies))
	m.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, answer)
}

// converse has a conversation of ten turns, in each of which the model calls a
// tool of the client's and says something; in the eighth it asks Winnow for
// more first, where it can. It returns what the model was sent.
func (c *clientWire) converse(t *testing.T, tools []string, through func(t *testing.T, provider string) string) [][]byte {
	t.Helper()
	model := &recordedModel{}
	server := httptest.NewServer(model)
	t.Cleanup(server.Close)
	base := through(t, server.URL)
	var messages []string
	ask := func(said string) {
		resp, err := http.Post(base+c.path, "application/json", strings.NewReader(c.body(tools, messages)))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if got, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK || strings.Contains(string(got), "mcp_load") {
			t.Fatalf("got %d %s (%v), want an answer without mcp_load", resp.StatusCode, got, err)
		}
		messages = append(messages, said)
	}
	for i, words := range proxyTurns {
		messages = append(messages, c.user(words))
		id := fmt.Sprintf("c%d", i)
		loads := i == 7
		model.next = func(int) string {
			if loads && bytes.Contains(model.bodies[len(model.bodies)-1], []byte(`"mcp_load"`)) {
				loads = false
				return c.answer(c.call("load", "mcp_load"))
			}
			return c.answer(c.call(id, "bash"))
		}
		ask(c.call(id, "bash"))
		messages = append(messages, c.result(id))
		said := fmt.Sprintf("This is what I found for you, and it is number %d.", i)
		model.next = func(int) string { return c.answer(c.text(id, said)) }
		ask(c.text(id, said))
	}
	return model.bodies
}

// spent sums up what a model was sent.
type spent struct {
	requests, input, tools, cached int
	// appends counts the requests with more tools than the one before, added
	// these tools, and reread what of the prefix had to be read again for them.
	appends, added, reread int
}

// sum counts the tokens of requests in the order in which the provider puts
// their parts before the model: what a request shares with the one before, from
// the beginning, is what a cache can give.
func (c *clientWire) sum(t *testing.T, counter *tokens.Counter, bodies [][]byte) spent {
	t.Helper()
	r := spent{requests: len(bodies)}
	before, toolsBefore, countBefore := "", "", 0
	for i, body := range bodies {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(body, &members); err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, name := range c.order {
			// The closing bracket is of JSON, and no part of a list for the model.
			text += strings.TrimRight(string(members[name]), "]}") + "\n"
		}
		tools := strings.TrimRight(string(members["tools"]), "]}")
		count := strings.Count(tools, c.mark)
		shared := commonPrefix(before, text)
		all := counter.Count(text)
		r.input += all
		r.tools += counter.Count(tools)
		r.cached += counter.Count(text[:shared])
		if !strings.HasPrefix(tools, toolsBefore) {
			t.Errorf("request %d: the tools do not begin with those before", i+1)
		}
		if i > 0 && tools == toolsBefore && shared < len(strings.TrimRight(before, "\n")) {
			t.Errorf("request %d does not begin with the one before, though it has the same tools; they part at %q and %q",
				i+1, text[shared:min(shared+80, len(text))], before[shared:min(shared+80, len(before))])
		}
		if i > 0 && tools != toolsBefore {
			r.appends++
			r.added += count - countBefore
			r.reread += counter.Count(before[shared:])
		}
		before, toolsBefore, countBefore = text, tools, count
	}
	return r
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// TestReal says what a model receives of ten turns with the tools of six real
// servers, with and without Winnow, in each format, and with a window that rolls
// over each message.
func TestReal(t *testing.T) {
	t.Parallel()
	counter := tokens.New()
	h := enginetest.Begin(t, map[string]any{"searchTurns": 0, "maxTools": 1000}, configtest.NPMServers(t, t.TempDir()), nil)
	all := h.Open("hello")
	h.Close()
	direct := func(_ *testing.T, provider string) string { return provider }
	// through is a proxy with settings of the user's.
	through := func(settings string) func(*testing.T, string) string {
		return func(t *testing.T, provider string) string {
			p := proxy.Alone{}
			p.Initialize.Settings = json.RawMessage(settings)
			return strings.TrimSuffix(startProxyWith(t, t.TempDir(), provider, p).url, "/chat/completions")
		}
	}
	t.Logf("%-10s %-8s %9s %12s %12s %12s %8s   %s", "wire", "", "requests", "tools", "input", "not cached", "cached", "tools appended; read again for each")
	for _, w := range []struct {
		name string
		wire *clientWire
	}{{"chat", &chatClient}, {"responses", &responsesClient}, {"messages", &messagesClient}, {"gemini", &geminiClient}} {
		tools := []string{w.wire.tool("bash", "Runs a command.", json.RawMessage(`{"type":"object"}`))}
		for i := range all.Tools {
			tool := &all.Tools[i]
			tools = append(tools, w.wire.tool("mcp__"+tool.Server+"__"+tool.Tool, tool.Description, tool.InputSchema))
		}
		without := w.wire.sum(t, counter, w.wire.converse(t, tools, direct))
		with := w.wire.sum(t, counter, w.wire.converse(t, tools, through(`{}`)))
		window := w.wire.sum(t, counter, w.wire.converse(t, tools, through(`{"proxy":{"appendAfterMinutes":0}}`)))
		for _, row := range []struct {
			name string
			of   spent
		}{{"without", without}, {"with", with}, {"window", window}} {
			r := row.of
			t.Logf("%-10s %-8s %9d %12d %12d %12d %7.1f%%   %d in %d requests; %d tokens", w.name, row.name, r.requests,
				r.tools/r.requests, r.input, r.input-r.cached, 100*float64(r.cached)/float64(r.input), r.added, r.appends, r.reread/max(r.added, 1))
		}
		if window.input >= without.input/5*3 || window.added <= with.added {
			t.Errorf("%s: the rolling window: got %+v, want more tools appended than %+v, and less than three fifths of the input of %+v", w.name, window, with, without)
		}
		if w.name == "chat" {
			pageSays(t, without, with, window)
		}
		if spent, all := with.input-with.cached, without.input-without.cached; spent >= all {
			t.Errorf("%s: %d tokens are not cached, and %d without Winnow", w.name, spent, all)
		}
		if with.input >= without.input/5*3 || with.requests != without.requests+1 || with.added == 0 {
			t.Errorf("%s: got %+v, want one request more than %+v, with less than three fifths of its input", w.name, with, without)
		}
	}
}

// pageSays compares the figures of the page on clients with those that were
// measured. A change of the ranking moves them: up to a twentieth the page may
// stay as it is.
func pageSays(t *testing.T, without, with, window spent) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "extension", "docs", "clients.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := strings.Join(strings.Fields(string(text)), " ")
	number := func(text string) int {
		n, err := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for row, r := range map[string]spent{"without Winnow": without, "with Winnow": with, "with Winnow, and `appendAfterMinutes` 0": window} {
		cells := regexp.MustCompile(`\| ` + row + ` \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|`).FindStringSubmatch(page)
		if cells == nil {
			t.Fatalf("the page has no row %q", row)
		}
		for i, got := range []int{r.tools / r.requests, r.input, r.input - r.cached} {
			if said := number(cells[i+1]); 20*max(said-got, got-said) > got {
				t.Errorf("%s: the page says %d in column %d, want %d", row, said, i+1, got)
			}
		}
	}
	// A provider with a cache asks a tenth for what it has.
	less := func(r spent, cached int) int {
		cost := func(r spent) int { return 10*(r.input-r.cached) + cached*r.cached }
		return 100 - 100*cost(r)/cost(without)
	}
	said := regexp.MustCompile(`costs (\d+) % less with Winnow, and (\d+) % less with the window that rolls; where it has no cache, (\d+) % and (\d+) %`).FindStringSubmatch(page)
	if said == nil {
		t.Fatal("the page does not say what all of it costs")
	}
	for i, got := range []int{less(with, 1), less(window, 1), less(with, 10), less(window, 10)} {
		if n := number(said[i+1]); max(n-got, got-n) > 2 {
			t.Errorf("the page says %d %% less, want %d %%", n, got)
		}
	}
}
