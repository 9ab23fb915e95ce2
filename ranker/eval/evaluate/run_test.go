package evaluate

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/small.golden")

// golden is the file that keeps the small set's figures.
const golden = "testdata/small.golden"

// TestSmallSet_FiguresDoNotFall compares the product's figures on the set that
// ships with those of the golden file. A drop fails; a rise asks for -update.
func TestSmallSet_FiguresDoNotFall(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := Run([]string{"-json", "-rankers", "auto,bm25f,embeddings,bm25,wayland-keyword,wayland-bm25,zoo-code"}, &out); err != nil {
		t.Fatal(err)
	}
	var report struct{ Rankers []jsonRanker }
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, r := range report.Rankers {
		fmt.Fprintf(&got, "%-16s", r.Name)
		for _, m := range []metric{recall5, recall10, ndcg10, all15, hit1} {
			fmt.Fprintf(&got, " %s %.4f", m, r.Macro[m.String()])
		}
		got.WriteString("\n")
	}
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("figures changed; when none fell, run go test ./ranker/eval/evaluate -update\n got\n%s\nwant\n%s", got.String(), want)
	}
}

func TestRun_TextReport(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := Run([]string{"-data", writeSet(t, tinyTools, tinyQueries), "-ablate", "-per-set"}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"macro over 1 sets", "wayland-keyword", "auto", "-steps", "difference from bm25", "tiny, 2 tools, 2 messages", "nDCG@10"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
}

func TestRun_PerKind(t *testing.T) {
	t.Parallel()
	dir := writeSet(t, tinyTools, `{"query":"read it","kind":"short","gold":[["s","read"]]}`)
	if err := os.WriteFile(filepath.Join(dir, "no_tool.jsonl"), []byte(`{"query":"read a poem"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"-data", dir, "-rankers", "auto", "-per-kind"}
	var out bytes.Buffer
	if err := Run(args, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"tiny, short, 1 messages", "tiny, 1 messages that need no tool", "difference from bm25"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
	out.Reset()
	if err := Run(append(args, "-json"), &out); err != nil {
		t.Fatal(err)
	}
	var report struct{ Rankers []jsonRanker }
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	if r := report.Rankers[0]; r.Kinds["tiny"]["short"]["R@5"] != 1 || r.Idle["tiny"] != 1 {
		t.Errorf("by kind %v, idle %v, want R@5 1 and one tool found", r.Kinds, r.Idle)
	}
}

// The built-in model under another name ranks as it does.
func TestRun_OtherModels(t *testing.T) {
	t.Parallel()
	const file = "../../static/static-256d-20k-int8.sem"
	var out bytes.Buffer
	if err := Run([]string{"-models", file, "-rankers", "static-256d-20k-int8", "-baseline", "auto"}, &out); err != nil {
		t.Fatal(err)
	}
	if want := "static-256d-20k-int8  +0.000 [+0.000, +0.000]"; !strings.Contains(out.String(), want) {
		t.Errorf("the report lacks %q:\n%s", want, out.String())
	}
	for other, want := range map[string]string{"none.sem": "read the embedding model", "run_test.go": "not a SEM1 file"} {
		if err := Run([]string{"-models", other}, &out); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("model %s: error %v, want %q", other, err, want)
		}
	}
}

func TestRun_Distractors(t *testing.T) {
	t.Parallel()
	dir := writeSet(t, tinyTools, tinyQueries)
	more := filepath.Join(t.TempDir(), "tools.jsonl")
	if err := os.WriteFile(more, []byte(`{"server":"x","name":"fly"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Run([]string{"-data", dir, "-distractors", more, "-rankers", "auto", "-per-set"}, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "tiny, 3 tools") {
		t.Errorf("no distractor in the report:\n%s", out.String())
	}
	out.Reset()
	if err := Run([]string{"-data", dir, "-distractors", more, "-fill", "40", "-rankers", "auto", "-per-set"}, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "tiny, 40 tools") {
		t.Errorf("not filled to 40 tools:\n%s", out.String())
	}
}

func TestRun_Errors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-data", "/nowhere"}, "no set in"},
		{[]string{"-baseline", "google"}, `no ranker named "google"`},
		{[]string{"-unheard"}, "not defined"},
	} {
		if err := Run(test.args, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: error %v, want %q", test.args, err, test.want)
		}
	}
}

// TestRun_Paired: the figures of every message are saved, and compared with those
// of the same messages only.
func TestRun_Paired(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "before.json")
	var out strings.Builder
	if err := Run([]string{"-rankers", "bm25f", "-save", file}, &out); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := Run([]string{"-rankers", "bm25f,wayland-bm25", "-paired", file, "-baseline", "before bm25f"}, &out); err != nil {
		t.Fatal(err)
	}
	same := regexp.MustCompile(`bm25f( +\+0\.000 \[\+0\.000, \+0\.000\]){5}`)
	if !same.MatchString(out.String()) || !strings.Contains(out.String(), "difference from before bm25f") {
		t.Errorf("a ranker against itself: want no difference in\n%s", out.String())
	}
	for _, tt := range []struct{ args, want string }{
		{"-limit 3", "has 3: save them with the same -data and -limit"},
		{"-baseline auto2", `no ranker named "auto2"`},
	} {
		err := Run(append([]string{"-rankers", "bm25f", "-paired", file}, strings.Fields(tt.args)...), io.Discard)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.args, err, tt.want)
		}
	}
}

// TestRun_Alone: parts are measured alone, and a name that is none is an error.
func TestRun_Alone(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := Run([]string{"-rankers", "auto", "-limit", "5", "-alone", "companions,phrasings"}, &out); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"none of these", "+companions", "+phrasings"} {
		if !strings.Contains(out.String(), " "+name+" ") {
			t.Errorf("no line %q in\n%s", name, out.String())
		}
	}
	if err := Run([]string{"-alone", "sense"}, io.Discard); err == nil || !strings.Contains(err.Error(), `no part named "sense"`) {
		t.Errorf("a part that is none: %v", err)
	}
}
