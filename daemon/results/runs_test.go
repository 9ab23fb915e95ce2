package results_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/winnow-mcp/winnow/daemon/results"
	"github.com/winnow-mcp/winnow/daemon/results/shaping"
	"github.com/winnow-mcp/winnow/router/tokens"
)

// runsFile is a file of recorded runs, one a line: {"calls": [{"tool",
// "content", "structuredContent"}]}.
var runsFile = flag.String("runs", "", "a file of recorded runs, to measure how their results are cut")

// sample is a result of one kind.
type sample struct {
	kind   string
	result shaping.Result
}

// samples are results of each kind that servers answer with, short and long.
func samples() []sample {
	var all []sample
	add := func(kind, text string, structured any) {
		r := shaping.Result{Content: []json.RawMessage{textOf(text)}}
		if structured != nil {
			r.Structured = jsonOf(structured)
		}
		all = append(all, sample{kind, r})
	}
	for _, n := range []int{10, 300, 3000} {
		var list []map[string]any
		var log, table strings.Builder
		for i := range n {
			list = append(list, map[string]any{"id": i, "name": fmt.Sprintf("item %d", i), "tags": []string{"a", "b"}, "note": strings.Repeat("é", i%40)})
			fmt.Fprintf(&log, "2026-01-02T03:04:%02d INFO worker %d did its work\n", i%60, i)
			fmt.Fprintf(&table, "| %d | name %d | running | 10.0.0.%d |\n", i, i, i%255)
		}
		add("JSON", string(jsonOf(list)), nil)
		add("JSON said twice", string(jsonOf(list)), map[string]any{"content": string(jsonOf(list))})
		add("JSON in structure", "", map[string]any{"items": list, "total": n})
		add("logs", log.String(), nil)
		add("logs in JSON", string(jsonOf(map[string]any{"path": "a.log", "content": log.String()})), nil)
		add("tables", table.String(), map[string]any{"rows": list})
		add("text", strings.Repeat("A paragraph of a page, with words that say something. ", n), nil)
		add("base64", base64.StdEncoding.EncodeToString([]byte(log.String())), nil)
		all = append(all, sample{"mixed", shaping.Result{
			Content: []json.RawMessage{textOf("Found:"), textOf(string(jsonOf(list))), textOf(log.String()), json.RawMessage(`{"type":"image","data":"AAAA","mimeType":"image/png"}`)},
			Meta:    json.RawMessage(`{"a":1}`),
		}})
	}
	return all
}

func textOf(text string) json.RawMessage {
	return jsonOf(map[string]string{"type": "text", "text": text})
}

func jsonOf(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // values of this file
	}
	return raw
}

// recorded reads the results of recorded runs.
func recorded(t *testing.T, name string) []sample {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var all []sample
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var run struct {
			Calls []struct {
				Content           []json.RawMessage
				StructuredContent json.RawMessage
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &run); err != nil {
			t.Fatal(err)
		}
		for _, c := range run.Calls {
			all = append(all, sample{"recorded", shaping.Result{Content: c.Content, Structured: c.StructuredContent}})
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// tally sums up what became of the results of one kind.
type tally struct {
	results, cut, ways, failed      int
	chars, kept, tokens, tokensKept int
	longest, pages                  int
	// leaner are results that only lost blanks, and saved the tokens of them.
	leaner, saved int
	spent         time.Duration
	counter       *tokens.Counter
}

// offered are the arguments of the calls that a text offers.
var offered = regexp.MustCompile(`mcp_result\(\{"handle":"r_1",(.*?)\}\)`)

// shown returns what a client shows a model: the texts, or the structured
// content where there are none.
func shown(r shaping.Result) string {
	var b strings.Builder
	for _, raw := range r.Content {
		var block struct {
			Text     string
			Resource struct{ Text string }
		}
		if json.Unmarshal(raw, &block) == nil {
			b.WriteString(block.Text + block.Resource.Text)
		}
	}
	if b.Len() == 0 {
		return string(r.Structured)
	}
	return b.String()
}

// measure cuts a result, and follows each way to read on to the end: every call
// that is offered, by the cut result or by a part, has to give something.
func (y *tally) measure(t *testing.T, r shaping.Result) {
	t.Helper()
	const limit = 12_000
	document := shaping.DocumentOf(r)
	read := func(arguments string) (shaping.Part, error) {
		var request results.Request
		if err := json.Unmarshal([]byte("{"+arguments+"}"), &request); err != nil {
			return shaping.Part{}, err
		}
		return results.Read(t.Context(), document, request, limit)
	}
	begun := time.Now()
	cut := shaping.Shape(r.Lean(false, true), shaping.Options{Chars: limit, Media: 5_000_000, Read: func(arguments string) string {
		if part, err := read(arguments); err != nil || part.Text == "" || part.Text == "[]" {
			return ""
		}
		return `mcp_result({"handle":"r_1",` + arguments + `})`
	}})
	y.spent += time.Since(begun)
	before, after := shown(r), shown(cut.Result)
	y.results++
	y.chars, y.kept = y.chars+utf8.RuneCountInString(before), y.kept+utf8.RuneCountInString(after)
	y.tokens, y.tokensKept = y.tokens+y.counter.Count(before), y.tokensKept+y.counter.Count(after)
	if cut.Kind == "" && len(after) < len(before) {
		if a, b := y.counter.Count(before), y.counter.Count(after); b > a {
			t.Errorf("%d tokens became %d without blanks: %.200s", a, b, after)
		} else {
			y.leaner, y.saved = y.leaner+1, y.saved+a-b
		}
	}
	y.longest = max(y.longest, utf8.RuneCountInString(after))
	if cut.Kind == "" {
		return
	}
	y.cut++
	calls := offered.FindAllStringSubmatch(after, -1)
	if len(calls) == 0 {
		y.failed++
		t.Errorf("a cut result offers no call: %.300s", after)
	}
	for _, call := range calls {
		y.ways++
		y.follow(t, call[1], read)
	}
}

// next is what a part says of how to go on.
var next = regexp.MustCompile(`Next: (?:the same with )?"offset":(\d+)`)

func (y *tally) follow(t *testing.T, arguments string, read func(string) (shaping.Part, error)) {
	t.Helper()
	base := regexp.MustCompile(`,?"offset":\d+`).ReplaceAllString(arguments, "")
	for arguments != "" {
		part, err := read(arguments)
		if err != nil || part.Text == "" || part.Text == "[]" {
			y.failed++
			t.Errorf("%s reads %.100q, %v", arguments, part.Text, err)
			return
		}
		y.pages++
		onward := next.FindStringSubmatch(part.Note)
		if arguments = ""; onward != nil {
			arguments = strings.TrimPrefix(base+`,"offset":`+onward[1], ",")
		}
	}
}

// TestRuns measures how results are cut, and that what a cut result offers can
// be read to its end: of all kinds of results, and of recorded ones where a
// file is named:
//
//	go test ./daemon/results -run TestRuns -v -runs FILE
func TestRuns(t *testing.T) {
	t.Parallel()
	all := samples()
	if *runsFile != "" {
		all = append(all, recorded(t, *runsFile)...)
	}
	counter := tokens.New()
	tallies := map[string]*tally{}
	var kinds []string
	for _, s := range all {
		y := tallies[s.kind]
		if y == nil {
			y = &tally{counter: counter}
			tallies[s.kind], kinds = y, append(kinds, s.kind)
		}
		y.measure(t, s.result)
	}
	t.Logf("%-18s %7s %5s %7s %9s %9s %8s %6s %6s %7s %6s %6s %9s", "kind", "results", "cut", "share", "tokens", "shown", "longest", "ways", "pages", "working", "leaner", "saved", "µs each")
	for _, kind := range kinds {
		y := tallies[kind]
		working := "-"
		if y.ways > 0 {
			working = fmt.Sprintf("%d %%", 100*(y.ways-y.failed)/y.ways)
		}
		t.Logf("%-18s %7d %5d %6.1f%% %9d %9d %8d %6d %6d %7s %6d %6d %9d", kind, y.results, y.cut, 100*float64(y.kept)/float64(y.chars),
			y.tokens, y.tokensKept, y.longest, y.ways, y.pages, working, y.leaner, y.saved, y.spent.Microseconds()/int64(y.results))
		if y.longest > 12_000 {
			t.Errorf("%s: %d characters are shown", kind, y.longest)
		}
	}
}
