package evaluate

import (
	"path/filepath"
	"testing"

	"github.com/winnow-mcp/winnow/ranker"
	"github.com/winnow-mcp/winnow/ranker/bank"
)

// hostile is a server of ten tools that have the names of well-known ones and
// fifty popular requests each as their descriptions, for things that their
// parameters cannot do. It can be added to any set: -distractors.
const hostile = "testdata/hostile/tools.jsonl"

// Ten hostile tools do not displace the right ones: the share of our own
// messages that have all they need among the first thirty does not fall when
// they are alone with them, and by less than .02 in the mean over catalogues of
// several sizes. One message of one size is more than that, and may be one that
// was at the thirtieth place by luck.
func TestHostileTools_DisplaceNobody(t *testing.T) {
	t.Parallel()
	knows, err := load(nil)
	if err != nil {
		t.Fatal(err)
	}
	auto := product("auto", ranker.Auto, knows, func(*ranker.Weights) {})
	sets, err := readSets("testdata/small", 0)
	if err != nil {
		t.Fatal(err)
	}
	sizes, lost := []int{0, 500, 1000, 2000}, 0.0
	for _, size := range sizes {
		s := *sets[0]
		s.fill(size)
		before := measure(auto, &s)
		if err := s.addDistractors(hostile); err != nil {
			t.Fatal(err)
		}
		after := measure(auto, &s)
		fall := before.mean[all30] - after.mean[all30]
		t.Logf("%d tools: all@30 falls from %.3f to %.3f", len(s.docs), before.mean[all30], after.mean[all30])
		if size == 0 && fall > 0 {
			t.Errorf("alone with them all@30 falls by %.3f, want by nothing", fall)
		}
		lost += fall / float64(len(sizes))
	}
	if lost >= 0.02 {
		t.Errorf("all@30 falls by %.3f in the mean, want less than .02", lost)
	}
}

// A tool that takes a known one's name, but not its parameters, is given
// nothing of what people say of that one.
func TestHostileTools_BorrowNothingByName(t *testing.T) {
	t.Parallel()
	docs, err := readTools(hostile)
	if err != nil {
		t.Fatal(err)
	}
	phrasings, err := bank.Load()
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	for i := range docs {
		var names []string
		for _, p := range docs[i].Parameters {
			names = append(names, p.Name)
		}
		for _, e := range phrasings.Named(docs[i].Name, bank.Words(docs[i].Server)) {
			known++
			if overlap := phrasings.Overlap(e, bank.ParameterPrints(names)); overlap != 0 {
				t.Errorf("%s of %s: parameters alike by %v", docs[i].Name, filepath.Base(phrasings.Entry(e).Server), overlap)
			}
		}
	}
	if known < len(docs) {
		t.Errorf("%d tools have the names of the %d: too few for the test to say something", known, len(docs))
	}
}
