package evaluate

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/ranker"
)

func twoSets() []*set {
	return []*set{{name: "one", queries: make([]query, 2)}, {name: "two", queries: make([]query, 2)}}
}

func TestReport_JSON(t *testing.T) {
	t.Parallel()
	r := newReport(twoSets(), "base")
	r.add("base", []result{scoredResult(0, 1), scoredResult(0, 0)})
	r.add("better", []result{scoredResult(1, 1), scoredResult(1, 0)})
	var out bytes.Buffer
	if err := r.writeJSON(&out); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Baseline string
		Rankers  []jsonRanker
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	better := got.Rankers[1]
	// Base has (½ + 0)/2 = ¼, the better one (1 + ½)/2 = ¾.
	if got.Baseline != "base" || better.Macro["R@5"] != 0.75 || better.Sets["two"]["R@5"] != 0.5 ||
		better.Versus["R@5"].Difference != 0.5 {
		t.Errorf("report %+v", got)
	}
}

func TestReport_WorstTimesAndMemory(t *testing.T) {
	t.Parallel()
	p50, p95, build, bytes := worst([]result{
		{p50: 3 * time.Millisecond, p95: 4 * time.Millisecond, build: 9 * time.Millisecond, bytes: 5},
		{p50: 2 * time.Millisecond, p95: 8 * time.Millisecond, build: time.Millisecond, bytes: 70},
	})
	if p50 != 3*time.Millisecond || p95 != 8*time.Millisecond || build != 9*time.Millisecond || bytes != 70 {
		t.Errorf("worst of two sets: %v %v %v %d", p50, p95, build, bytes)
	}
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	s := &set{name: "s", docs: make([]ranker.Document, 3), queries: []query{
		{text: "second", kind: "easy", needs: [][]int{{1}}}, {text: "nobody knows", needs: [][]int{{2}}},
	}, idle: []query{{text: "hello"}}}
	var asked []string
	c := Contender{Name: "fake", Prepare: func(docs []ranker.Document) func(string) []int {
		if len(docs) != 3 {
			t.Errorf("prepared with %d documents, want 3", len(docs))
		}
		return func(message string) []int {
			asked = append(asked, message)
			return []int{0, 1}
		}
	}}
	r := measure(c, s)
	if strings.Join(asked, "|") != "second|nobody knows|hello" {
		t.Errorf("asked %q", asked)
	}
	if r.mean[recall5] != 0.5 || r.mean[hit1] != 0 || len(r.perQuery) != 2 || r.p50 > r.p95 {
		t.Errorf("result %+v", r)
	}
	if easy := r.ofKind(s, "easy"); len(easy.perQuery) != 1 || easy.mean[recall5] != 1 {
		t.Errorf("easy messages: %+v", easy)
	}
	if average(r.idle) != 2 {
		t.Errorf("the message that needs no tool got %v, want 2", r.idle)
	}
}

func TestMeasure_EmptySet(t *testing.T) {
	t.Parallel()
	c := Contender{Name: "fake", Prepare: func([]ranker.Document) func(string) []int { return nil }}
	if r := measure(c, &set{}); r.mean != (figures{}) || r.p50 != 0 {
		t.Errorf("result of nothing: %+v", r)
	}
}

// Each ablation switches something off, and no two the same.
func TestAblations(t *testing.T) {
	t.Parallel()
	seen := map[ranker.Weights]string{ranker.DefaultWeights(): "nothing"}
	for _, part := range parts {
		w := ranker.DefaultWeights()
		part.off(&w)
		if part.bank {
			continue // no weight is that of the bank
		}
		if same, ok := seen[w]; ok {
			t.Errorf("%s switches off the same as %s", part.name, same)
		}
		seen[w] = part.name
	}
}

func TestContenders_NamesDiffer(t *testing.T) {
	t.Parallel()
	knows, err := load(nil)
	if err != nil {
		t.Fatal(err)
	}
	list := contenders(knows, true)
	seen := map[string]bool{}
	for _, c := range list {
		if seen[c.Name] {
			t.Errorf("two contenders are named %s", c.Name)
		}
		seen[c.Name] = true
	}
}

// A ranker of another product is measured like ours.
func TestRun_MoreContenders(t *testing.T) {
	t.Parallel()
	last := Contender{Name: "other-product", Prepare: func(docs []ranker.Document) func(string) []int {
		return func(string) []int { return []int{len(docs) - 1} }
	}}
	var out bytes.Buffer
	if err := Run([]string{"-data", writeSet(t, tinyTools, tinyQueries), "-rankers", "other-product"}, &out, last); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "other-product") {
		t.Errorf("the report lacks it:\n%s", out.String())
	}
}
