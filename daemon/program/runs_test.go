package program_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/program"
	"github.com/winnow-mcp/winnow/daemon/results/shaping"
)

// runsFile is a file of recorded runs, one a line: {"calls": [{"tool",
// "arguments", "isError", "content", "structuredContent"}]}.
var runsFile = flag.String("runs", "", "a file of recorded runs, to measure what programs of their calls would save")

// recordedCall is a call as it was made, and what it answered.
type recordedCall struct {
	Tool              string
	Arguments         map[string]any
	IsError           bool
	Content           []json.RawMessage
	StructuredContent json.RawMessage

	text  string // all that was answered
	shown int    // bytes of it that the model reads, cut as Winnow cuts
	used  bool   // a later call of the same program takes something out of it
}

// minValue is the fewest bytes of an argument that is taken for one that was read:
// shorter ones stand in any text.
const minValue = 5

// place is where a value stands in the answer of an earlier call.
type place struct {
	call   int
	before string // what stands before it there, for the first time in that answer
	size   int
}

// find returns where a value stands in the answers of calls. With onlyNew, one that
// an earlier call was given was known before, and is not taken out of an answer.
func find(calls []recordedCall, from, to int, value string, onlyNew bool) (place, bool) {
	if len(value) < minValue {
		return place{}, false
	}
	for i := from; onlyNew && i < to; i++ {
		if bytes.Contains(mustJSON(calls[i].Arguments), mustJSON(value)) {
			to = i
		}
	}
	for i := to - 1; i >= from; i-- {
		at := strings.Index(calls[i].text, value)
		if at < 0 || calls[i].IsError {
			continue
		}
		for n := 1; n <= at && n < 200; n++ {
			before := calls[i].text[at-n : at]
			if strings.Index(calls[i].text, before) == at-n {
				return place{i, before, len(value)}, true
			}
		}
	}
	return place{}, false
}

// group returns the end of the program that begins with a call: each later call of
// it has an argument that stands in an answer of an earlier one. A call without
// one ends it, so that all calls keep their order. Errors stay outside.
func group(calls []recordedCall, from int, onlyNew bool) int {
	to := from + 1
	for ; to < len(calls) && !calls[from].IsError && !calls[to].IsError; to++ {
		joined := false
		for _, v := range calls[to].Arguments {
			if text, ok := v.(string); ok {
				_, found := find(calls, from, to, text, onlyNew)
				joined = joined || found
			}
		}
		if !joined {
			break
		}
	}
	return to
}

// source writes the program of the calls from one place to another. It returns what
// of the answers no later call takes anything out of.
func source(calls []recordedCall, from, to int, onlyNew bool) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "a%d = call(%q, {", i-from, calls[i].Tool)
		for name, v := range calls[i].Arguments {
			text, _ := v.(string)
			if p, ok := find(calls, from, i, text, onlyNew); ok {
				calls[p.call].used = true
				answer, before := fmt.Sprintf("a%d", p.call-from), strconv.QuoteToASCII(p.before)
				fmt.Fprintf(&b, "%q: %s[%s.find(%s) + %d:][:%d], ", name, answer, answer, before, len(p.before), p.size)
				continue
			}
			fmt.Fprintf(&b, "%q: json_decode(%s), ", name, strconv.QuoteToASCII(string(mustJSON(v))))
		}
		b.WriteString("})\n")
	}
	b.WriteString("result = \"\"")
	for i := from; i < to; i++ {
		if !calls[i].used {
			fmt.Fprintf(&b, " + a%d", i-from)
		}
	}
	return b.String() + "\n"
}

func mustJSON(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // what was decoded encodes
	}
	return bytes.TrimSpace(b.Bytes())
}

// TestRuns measures what programs of recorded calls would save: calls that take an
// argument out of an earlier answer are joined to a program, mechanically, and run
// over what was recorded. The calls have to be the same. It is the most that
// programs can save: whoever writes one has not read the answers, and the model may
// have read more of an answer than went into the next call. "any" joins each
// argument that stands in an earlier answer, "new" only one that no earlier call of
// the program was given.
//
//	go test ./daemon/program -run TestRuns -v -runs FILE
func TestRuns(t *testing.T) {
	if *runsFile == "" {
		t.Skip("no -runs FILE")
	}
	for name, onlyNew := range map[string]bool{"any": false, "new": true} {
		t.Run(name, func(t *testing.T) { measure(t, onlyNew) })
	}
}

func measure(t *testing.T, onlyNew bool) {
	t.Helper()
	file, err := os.Open(*runsFile)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 64<<20)
	var runs, all, joined, programs, unfinished, before, inPrograms, after, written int
	for lines.Scan() {
		var run struct{ Calls []recordedCall }
		if err := json.Unmarshal(lines.Bytes(), &run); err != nil {
			t.Fatal(err)
		}
		runs++
		for i := range run.Calls {
			c := &run.Calls[i]
			whole := shaping.Result{Content: c.Content, Structured: c.StructuredContent}
			c.text = shaping.DocumentOf(whole).Text
			c.shown = len(shaping.DocumentOf(shaping.Shape(whole, shaping.Options{Chars: 12_000}).Result).Text)
			all, before = all+1, before+c.shown
		}
		for from := 0; from < len(run.Calls); {
			to := group(run.Calls, from, onlyNew)
			if to-from == 1 {
				after += run.Calls[from].shown
				from = to
				continue
			}
			text := source(run.Calls, from, to, onlyNew)
			out, err := replay(t, text, run.Calls[from:to])
			if err != nil {
				t.Errorf("%v in\n%s", err, text)
			}
			programs, joined = programs+1, joined+to-from
			shown, sum := shaping.DocumentOf(shaping.Shape(shaping.Result{Content: []json.RawMessage{mustJSON(map[string]string{"type": "text", "text": out})}}, shaping.Options{Chars: 12_000}).Result).Text, 0
			for i := from; i < to; i++ {
				sum += run.Calls[i].shown
				if !run.Calls[i].used {
					unfinished++
				}
			}
			inPrograms, after, written = inPrograms+sum, after+len(shown), written+len(text)
			from = to
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d runs, %d calls; %d programs hold %d calls (%.1f %%), of which %d answers stay to be read", runs, all, programs, joined, 100*float64(joined)/float64(all), unfinished)
	t.Logf("bytes to the model: %d as made, %d with programs (%.1f %% less); in the programs' calls %d -> %d (%.1f %% less); programs have %d bytes",
		before, after, 100*float64(before-after)/float64(before), inPrograms, inPrograms-(before-after), 100*float64(before-after)/float64(max(1, inPrograms)), written)
}

// replay runs a program over what calls have answered, and fails where it makes
// others.
func replay(t *testing.T, text string, calls []recordedCall) (string, error) {
	t.Helper()
	p, err := program.Parse(text)
	if err != nil {
		return "", err
	}
	next := 0
	out, err := p.Run(t.Context(), program.DefaultLimits(), func(_ context.Context, k program.Call) (program.Answer, error) {
		want := calls[next]
		var got map[string]any
		if err := json.Unmarshal(k.Arguments, &got); err != nil || k.Name != want.Tool || string(mustJSON(got)) != string(mustJSON(want.Arguments)) {
			return program.Answer{}, fmt.Errorf("call %d is %s of %s, want %s of %s", next, k.Name, k.Arguments, want.Tool, mustJSON(want.Arguments))
		}
		next++
		return program.Answer{Text: want.text}, nil
	})
	if err == nil && next != len(calls) {
		err = fmt.Errorf("%d of %d calls were made", next, len(calls))
	}
	return out, err
}
