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
	forAnyKind = "it serves anything of a kind, on the server that fits best"
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
	with := 0
	for i := range k.tools {
		if slices.Contains(k.tools[i].words, stem) {
			with++
		}
	}
	return with >= minSharing && commonShare*with >= len(k.tools)
}

// bringLate claims places for the generic tools of the servers that lead, and for
// what tools in the middle need first.
func (w *work) bringLate() {
	w.best.reset(allPlaces)
	for _, c := range w.candidates {
		if score := max(c.score, w.needed[c.doc].score); score > 0 {
			w.best.offer(score, c.doc)
		}
	}
	ranked := slices.Clone(w.best.kept)
	if len(ranked) < allPlaces {
		return // they are there
	}
	slices.SortFunc(ranked, scored.order)
	generic := w.genericOf(w.leading(ranked))
	generic = w.lift(generic, ranked, firstPlaces, lateInFirst)
	w.lift(append(w.lookupsOf(ranked[neededTools:firstPlaces]), generic...), ranked, allPlaces, lateInAll)
}

// lookupsOf returns what tools in the middle need.
func (w *work) lookupsOf(middle []scored) []scored {
	var found []scored
	for _, s := range middle {
		for _, c := range w.x.companionsOf(s.doc) {
			if w.admits(c.doc) {
				found = append(found, scored{s.score, c.doc})
			}
		}
	}
	return found
}

// leading returns the servers that have enough of the best tools, the one with
// the best tool first.
func (w *work) leading(ranked []scored) []int32 {
	var servers []int32
	count := map[int32]int{}
	for _, s := range ranked[:leaders] {
		server := w.x.servers.of[s.doc]
		if count[server]++; count[server] == minLeading {
			servers = append(servers, server)
		}
	}
	return servers
}

// genericOf returns the generic tools of some servers, those that fit best first.
func (w *work) genericOf(servers []int32) []scored {
	var generic []scored
	for _, server := range servers {
		for _, doc := range w.x.kitOf(server).generic {
			if w.admits(doc) {
				generic = append(generic, scored{w.whole.score(doc), doc})
			}
		}
	}
	slices.SortFunc(generic, scored.order)
	return generic
}

// lift claims up to n of the first places, the last ones, for the first of the
// documents that are not among these. It returns the others of those.
func (w *work) lift(docs, ranked []scored, places, n int) []scored {
	missing := slices.DeleteFunc(docs, func(s scored) bool {
		return slices.ContainsFunc(ranked[:places], func(r scored) bool { return r.doc == s.doc })
	})
	n = min(n, len(missing))
	for _, s := range missing[:n] {
		w.needed[s.doc] = need{ranked[places-n].score, ranked[0].doc, forAnyKind}
		w.consider(s.doc)
	}
	return missing[n:]
}
