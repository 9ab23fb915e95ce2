package ranker

import (
	"math"
	"slices"
)

const (
	// duplicateMargin is how many matches more than asked for are looked at,
	// so that others can move up when copies are held back.
	duplicateMargin = 10
	// sameTerms is the share of their terms, those of the server aside, that
	// two tools of the same name have in common when one is a copy.
	sameTerms = 0.8
	// maxNamesakes is how many tools of one name are compared with the others
	// of that name, the best ranked.
	maxNamesakes = 8
)

// holdBackCopies lowers, of tools that several servers offer alike, all but
// the best ranked, each copy more than the one before, so that they do not
// fill an answer that other tools belong in. It returns the matches in their
// new order.
func (w *work) holdBackCopies(found []Match) []Match {
	x := w.x
	if x.servers.count < 2 || x.weights.Duplicate >= 1 {
		return found
	}
	moved := false
	w.namesakes.reset(len(found))
	for i := range found {
		group := x.namesakes[found[i].Doc]
		if group == 0 {
			continue
		}
		if n := w.countCopies(found, group, found[i].Doc); n > 0 {
			found[i].Score = round(found[i].Score * math.Pow(x.weights.Duplicate, float64(n)))
			moved = true
		}
		w.namesakes.add(group, int32(i))
	}
	if moved {
		sortMatches(x.analysed.docs, found)
	}
	return found
}

// countCopies counts the matches noted under a name that a document is a copy of.
func (w *work) countCopies(found []Match, group int32, doc int) int {
	n := 0
	for place := w.namesakes.last[group].place; place > 0; place = w.namesakes.before[place-1] {
		if w.x.copies(found[place-1].Doc, doc) {
			n++
		}
	}
	return n
}

// namesakes notes the places of matches by their names, maxNamesakes of each.
// Places count from 1, so that 0 is none.
type namesakes struct {
	last   map[int32]chain
	before []int32 // by place - 1: the place noted before of the same name
}

// chain is the place noted last of a name, and how many are noted.
type chain struct{ place, length int32 }

// reset forgets all, and makes room for n matches.
func (s *namesakes) reset(n int) {
	if s.last == nil {
		s.last = map[int32]chain{}
	}
	clear(s.last)
	s.before = slices.Grow(s.before[:0], n)[:n]
}

// add notes match i, which counts from 0, under a name.
func (s *namesakes) add(group, i int32) {
	c := s.last[group]
	if c.length == maxNamesakes {
		return
	}
	s.before[i] = c.place
	s.last[group] = chain{i + 1, c.length + 1}
}

// copyGroups numbers the names, folded, that several documents have; a
// document with a name of its own has 0.
func copyGroups(analyses []*analysis) []int32 {
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

// copies reports whether two tools of the same name on different servers say
// the same.
func (x *fusionIndex) copies(a, b int) bool {
	if x.servers.of[a] == x.servers.of[b] {
		return false
	}
	common, total := 0, 0
	s, t := x.analyses[a].terms, x.analyses[b].terms
	for len(s) > 0 || len(t) > 0 {
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

// beyondServer is 1 when a term occurs in the document's own text other than the
// server's name, else 0.
func (t *termCount) beyondServer() int {
	for f, c := range t.counts {
		if field(f) != fieldServer && field(f) != fieldPhrasing && c > 0 {
			return 1
		}
	}
	return 0
}
