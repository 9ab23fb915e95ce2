package ranker

import (
	"math"
	"slices"

	"github.com/winnow-mcp/winnow/ranker/signals"
)

const (
	// duplicateMargin is how many extra matches are examined, so that others can move up
	// when copies are lowered.
	duplicateMargin = 10
	// sameTerms is the least share of their terms, without those of the server, that two
	// tools of the same name have in common if one is a copy.
	sameTerms = 0.8
	// maxNamesakes is the most tools of one name that are compared, the best ranked.
	maxNamesakes = 8
)

// copyIndex finds the tools that several servers offer alike.
type copyIndex struct {
	*analysed
	servers *serverIndex
	// namesakes numbers the folded names that several documents have; a document with a
	// unique name has 0.
	namesakes []int32
	// factor lowers the score of each copy of a tool that ranks higher.
	factor float64
}

func newCopyIndex(a *analysed, servers *serverIndex, factor float64) *copyIndex {
	return &copyIndex{a, servers, namesakes(a.analyses), factor}
}

// copyFinder records the places of matches by their names, maxNamesakes of each. Places
// start at 1; 0 means none.
type copyFinder struct {
	last   map[int32]chain
	before []int32 // by place - 1: the place noted before of the same name
}

// chain is the last recorded place of a name, and the number of recorded places.
type chain struct{ place, length int32 }

// holdBack lowers the scores of tools that several servers offer alike, except for the
// best ranked, each copy more than the one before. Otherwise copies would displace other
// tools. It returns the matches in their new order.
func (c *copyFinder) holdBack(x *copyIndex, found []scored) []scored {
	if x.servers.count < 2 || x.factor >= 1 {
		return found
	}
	moved := false
	c.reset(len(found))
	for i := range found {
		group := x.namesakes[found[i].doc]
		if group == 0 {
			continue
		}
		if n := c.count(x, found, group, found[i].doc); n > 0 {
			found[i].score = signals.Round(found[i].score * math.Pow(x.factor, float64(n)))
			moved = true
		}
		c.add(group, int32(i))
	}
	if moved {
		sortScored(x.docs, found)
	}
	return found
}

// reset clears the finder, and makes room for n matches.
func (c *copyFinder) reset(n int) {
	if c.last == nil {
		c.last = map[int32]chain{}
	}
	clear(c.last)
	c.before = slices.Grow(c.before[:0], n)[:n]
}

// count counts the recorded matches of a name that doc is a copy of.
func (c *copyFinder) count(x *copyIndex, found []scored, group, doc int32) int {
	n := 0
	for place := c.last[group].place; place > 0; place = c.before[place-1] {
		if x.alike(found[place-1].doc, doc) {
			n++
		}
	}
	return n
}

// add records match i, which starts at 0, under a name.
func (c *copyFinder) add(group, i int32) {
	noted := c.last[group]
	if noted.length == maxNamesakes {
		return
	}
	c.before[i] = noted.place
	c.last[group] = chain{i + 1, noted.length + 1}
}

// namesakes returns copyIndex.namesakes.
func namesakes(analyses []*analysis) []int32 {
	groups := make([]int32, len(analyses))
	first := make(map[string]int, len(analyses))
	count := int32(0)
	for i, a := range analyses {
		j, ok := first[a.name]
		if !ok {
			first[a.name] = i
			continue
		}
		if groups[j] == 0 {
			count++
			groups[j] = count
		}
		groups[i] = groups[j]
	}
	return groups
}

// alike reports whether two tools of the same name on different servers have the same
// text.
func (x *copyIndex) alike(a, b int32) bool {
	if x.servers.of[a] == x.servers.of[b] {
		return false
	}
	common, total := 0, 0
	s, t := x.analyses[a].terms, x.analyses[b].terms
	// The remaining terms can at most all be common.
	for float64(common+min(len(s), len(t))) >= sameTerms*float64(total+min(len(s), len(t))) && (len(s) > 0 || len(t) > 0) {
		switch {
		case len(t) == 0 || len(s) > 0 && s[0].term < t[0].term:
			total += s[0].beyondServer()
			s = s[1:]
		case len(s) == 0 || t[0].term < s[0].term:
			total += t[0].beyondServer()
			t = t[1:]
		default:
			both := max(s[0].beyondServer(), t[0].beyondServer())
			common += both
			total += both
			s, t = s[1:], t[1:]
		}
	}
	return total > 0 && float64(common) >= sameTerms*float64(total)
}

// beyondServer returns 1 if a term occurs in the document's own text other than the
// server's name, else 0.
func (t *termCount) beyondServer() int {
	for f, c := range t.counts {
		if field(f) != fieldServer && field(f) != fieldPhrasing && c > 0 {
			return 1
		}
	}
	return 0
}
