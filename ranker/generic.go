package ranker

import (
	"slices"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

const (
	// leaders of the best tools are looked at: a server that has minLeading of them
	// is what the message is about, and its generic tools come along.
	leaders    = 8
	minLeading = 3
	// Generic tools take at most lateInFirst places at the end of the first fifteen,
	// and further ones lateInAll at the end of the first thirty: a request has that
	// many tools in full, with a small model and by default.
	firstPlaces, lateInFirst = 15, 2
	allPlaces, lateInAll     = 30, 2
	// minSharing is how many tools of a server have a word in their names that tells
	// none of them from the others, and commonShare of how many it is at least one.
	minSharing, commonShare = 3, 6
	// forAnyKind says why such a tool is there.
	forAnyKind  = "it serves anything of a kind, on the server that fits best"
	forSentence = "it is among the best for one sentence of a long message"
)

// asksWhich reports whether a parameter of a name that ends with that word, a
// stem, says what a call is about: of which kind, by which query, or all of it.
func asksWhich(stem string) bool {
	switch stem {
	case "kind", "resourc", "object", "entiti", "collect", "tabl", "record", "document", // of which kind
		"queri", "sql", "jql", "cql", "soql", "graphql", "statement", "filter", "express", "pipelin", // by which query
		"manifest", "yaml", "properti": // all of it
		return true
	}
	return false
}

// isGeneric reports whether a tool serves anything of a kind: a parameter says of
// which, and its name says no more than what is done, besides words that its
// siblings' names have too and that such parameters have. Those that its server
// has for one thing in particular are special ones beside it.
func (k *kit) isGeneric(t *kitTool, r *kitReader) bool {
	asks := false
	for i := range k.docs[t.doc].Parameters {
		words := r.stems(k.docs[t.doc].Parameters[i].Name)
		if n := len(words); n > 1 && words[n-1] == "type" {
			words = words[:n-1]
		}
		asks = asks || len(words) > 0 && asksWhich(words[len(words)-1])
	}
	if !asks || len(t.words) < 2 {
		return asks
	}
	special := false
	r.tokenizer.Each(k.docs[t.doc].Name, func(word []byte, form text.Form) {
		stem := r.stem(word)
		if form == text.Whole || special || !slices.Contains(t.words, stem) {
			return
		}
		special = verbFor(string(word), inName) == 0 && stem != "execut" && !text.IsStop(string(word)) && !isPreposition(stem) && !asksWhich(stem) && !k.isCommon(stem)
	})
	return !special
}

// isCommon reports whether so many names of a kit have a word that it tells none
// from the others.
func (k *kit) isCommon(stem string) bool {
	with := k.namesWith[stem]
	return with >= minSharing && commonShare*with >= len(k.tools)
}

// wanted is a document that is to have a late place, and on whose behalf.
type wanted struct {
	scored
	by  int32
	why string
}

// late gives places at the end of an answer to tools that score too little for
// them. ranked holds the best documents, the best first.
type late struct {
	w      *work
	ranked []scored
}

// bring claims places for the generic tools of the servers that lead, and for
// what tools in the middle need first.
func (l *late) bring() {
	w := l.w
	w.best.reset(allPlaces)
	for _, c := range w.candidates {
		if score := max(c.score, w.needed[c.doc].score); score > 0 {
			w.best.offer(score, c.doc)
		}
	}
	if len(w.best.kept) < allPlaces {
		return // they are there
	}
	l.ranked = slices.Clone(w.best.kept)
	slices.SortFunc(l.ranked, scored.order)
	generic := l.lift(l.generic(), firstPlaces, lateInFirst)
	if w.steps.long() {
		l.place(l.turns(), firstPlaces)
		return
	}
	l.lift(append(l.lookups(), generic...), allPlaces, lateInAll)
}

// turns returns the best documents of a long message's sentences by turns: the
// best of each, then the second of each.
func (l *late) turns() []wanted {
	var found []wanted
	for turn := range perSentence {
		for _, ranked := range l.w.steps.ranked {
			if turn >= len(ranked) || slices.ContainsFunc(found, func(d wanted) bool { return d.doc == ranked[turn] }) ||
				slices.ContainsFunc(l.ranked[:firstPlaces], func(r scored) bool { return r.doc == ranked[turn] }) {
				continue
			}
			if found = append(found, wanted{scored{0, ranked[turn]}, l.ranked[0].doc, forSentence}); len(found) == allPlaces-firstPlaces {
				return found
			}
		}
	}
	return found
}

// lookups returns what tools in the middle need.
func (l *late) lookups() []wanted {
	var found []wanted
	for _, s := range l.ranked[neededTools:firstPlaces] {
		for _, c := range l.w.x.companionsOf(s.doc) {
			if l.w.admits(c.doc) {
				found = append(found, wanted{scored{s.score, c.doc}, s.doc, c.why})
			}
		}
	}
	return found
}

// leading returns the servers that have enough of the best tools.
func (l *late) leading() []int32 {
	var servers []int32
	count := map[int32]int{}
	for _, s := range l.ranked[:leaders] {
		server := l.w.x.servers.of[s.doc]
		if count[server]++; count[server] == minLeading {
			servers = append(servers, server)
		}
	}
	return servers
}

// generic returns the generic tools of the servers that lead, those that fit best
// first.
func (l *late) generic() []wanted {
	var generic []wanted
	for _, server := range l.leading() {
		for _, doc := range l.w.x.kitOf(server).generic {
			if l.w.admits(doc) {
				generic = append(generic, wanted{scored{l.w.whole.score(doc), doc}, l.ranked[0].doc, forAnyKind})
			}
		}
	}
	slices.SortFunc(generic, func(a, b wanted) int { return a.order(b.scored) })
	return generic
}

// lift claims up to n of the first places, the last ones, for the first of the
// documents that are not among these. It returns the others of those.
func (l *late) lift(docs []wanted, places, n int) []wanted {
	var missing []wanted
	for _, d := range docs {
		among := slices.ContainsFunc(l.ranked[:places], func(r scored) bool { return r.doc == d.doc })
		if !among && !slices.ContainsFunc(missing, func(m wanted) bool { return m.doc == d.doc }) {
			missing = append(missing, d)
		}
	}
	n = min(n, len(missing))
	l.place(missing[:n], places-n)
	return missing[n:]
}

// place puts documents, in their order, between two of the ranked ones: before the
// one at a place, and behind the one before it unless both score the same.
func (l *late) place(docs []wanted, at int) {
	if len(docs) == 0 {
		return
	}
	// Scores are sums, and exact to less than a billionth.
	above, below := l.ranked[at-1].score, l.ranked[at].score
	step := max(above-below, below*1e-9) / float64(len(docs)+1)
	ranked, rest := slices.Clone(l.ranked[:at]), l.ranked[at:]
	for i, d := range docs {
		d.score = below + step*float64(len(docs)-i)
		l.w.needed[d.doc] = need{d.score, d.by, d.why}
		l.w.consider(d.doc)
		ranked = append(ranked, d.scored)
		rest = slices.DeleteFunc(rest, func(r scored) bool { return r.doc == d.doc })
	}
	l.ranked = append(ranked, rest...)[:allPlaces]
}
