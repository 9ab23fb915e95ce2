package ranker

import "slices"

const (
	// neededTools is how many of the best tools add what they need.
	neededTools = 10
	// leaders is how many of the best tools are examined. The message is about a server
	// that has minLeading of them, whose generic tools are added.
	leaders    = 8
	minLeading = 3
	// Generic tools get at most lateInFirst places at the end of the first fifteen, and
	// lateInAll further ones at the end of the first thirty. A request has that many
	// tools in full, with a small model and by default.
	firstPlaces, lateInFirst = 15, 2
	allPlaces, lateInAll     = 30, 2
	// lateNewServers is how many of a long message's late places are for the first tool
	// of a server. Of 251 tasks among 2,012 tools, the share with a tool of each needed
	// server among the first thirty is .478 without such places, .502 with 8, .562 with
	// 12 and .594 with 15, which leaves no place for a server's second tool.
	lateNewServers = 12
	// forAnyKind and forStep are the reasons of late tools.
	forAnyKind = "it serves anything of a kind, on the server that fits best"
	forStep    = "it is among the best for one sentence of a long message"
)

// wanted is a document that should get a late place, and on whose behalf.
type wanted struct {
	scored
	by  int32
	why string
}

// late moves tools with low scores to the end of an answer. ranked holds the best
// documents, best first.
type late struct {
	w      *work
	ranked []scored
}

// bring claims places for what the best tools need, behind them, and late ones for the
// generic tools of leading servers and for what tools in the middle need first.
func (l *late) bring() {
	w := l.w
	w.best.reset(neededTools)
	for _, c := range w.candidates {
		if c.score > 0 {
			w.best.offer(c.score, c.doc)
		}
	}
	for _, b := range w.best.kept {
		l.claim(b.doc, b.score*w.x.weights.Needed)
	}
	w.best.reset(allPlaces)
	for _, c := range w.candidates {
		if score := max(c.score, w.needed[c.doc].score); score > 0 {
			w.best.offer(score, c.doc)
		}
	}
	if len(w.best.kept) < allPlaces {
		return // they are included
	}
	l.ranked = slices.Clone(w.best.sorted())
	generic := l.lift(l.generic(), firstPlaces, lateInFirst)
	if w.steps.long() {
		l.place(l.turns(), firstPlaces)
		return
	}
	l.lift(append(l.lookups(), generic...), allPlaces, lateInAll)
}

// claim records that a tool needs its companions, which get a score by that. Of two
// claims the higher one counts, of equal ones that of the first document.
func (l *late) claim(doc int32, score float64) {
	for _, c := range l.w.x.companions.of(doc) {
		score := score
		if c.reads {
			score *= readerShare
		}
		other := l.w.needed[c.doc]
		if l.w.admits(c.doc) && (other.score < score || other.score == score && other.by >= doc) {
			l.w.needed[c.doc] = claim{score, doc, c.why}
			l.w.consider([]int32{c.doc})
		}
	}
}

// turns returns the best documents of a long message's sentences in turn: the best of
// each, then the second of each. Sentences whose best tool is on the same server share a
// turn. Most places are for servers without one, because a long message needs many
// servers.
func (l *late) turns() []wanted {
	var found []wanted
	there, servers := map[int32]bool{}, map[int32]bool{}
	for _, r := range l.ranked[:firstPlaces] {
		there[r.doc], servers[l.w.x.servers.of[r.doc]] = true, true
	}
	lists := l.merged()
	take := func(places int, wants func(doc int32) bool) {
		for turn := range perSentence {
			for _, ranked := range lists {
				if len(found) == places {
					return
				}
				if turn >= len(ranked) || there[ranked[turn]] || !wants(ranked[turn]) {
					continue
				}
				doc := ranked[turn]
				found = append(found, wanted{scored{0, doc}, l.ranked[0].doc, forStep})
				there[doc], servers[l.w.x.servers.of[doc]] = true, true
			}
		}
	}
	take(lateNewServers, func(doc int32) bool { return !servers[l.w.x.servers.of[doc]] })
	take(allPlaces-firstPlaces, func(int32) bool { return true })
	return found
}

// merged returns the best documents of the sentences, those of sentences about one server
// in one list, in turn.
func (l *late) merged() [][]int32 {
	var groups [][][]int32
	groupOf := map[int32]int{}
	for _, ranked := range l.w.steps.ranked {
		if len(ranked) == 0 {
			continue
		}
		server := l.w.x.servers.of[ranked[0]]
		i, ok := groupOf[server]
		if !ok {
			i = len(groups)
			groupOf[server], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], ranked)
	}
	lists := make([][]int32, len(groups))
	for i, group := range groups {
		for turn := range perSentence {
			for _, ranked := range group {
				if turn < len(ranked) && !slices.Contains(lists[i], ranked[turn]) {
					lists[i] = append(lists[i], ranked[turn])
				}
			}
		}
	}
	return lists
}

// lookups returns what tools in the middle need.
func (l *late) lookups() []wanted {
	var found []wanted
	for _, s := range l.ranked[neededTools:firstPlaces] {
		for _, c := range l.w.x.companions.of(s.doc) {
			if l.w.admits(c.doc) {
				found = append(found, wanted{scored{s.score, c.doc}, s.doc, c.why})
			}
		}
	}
	return found
}

// leading returns the servers with at least minLeading of the best tools.
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

// generic returns the generic tools of the leading servers, best first.
func (l *late) generic() []wanted {
	var generic []wanted
	for _, server := range l.leading() {
		for _, doc := range l.w.x.companions.generic(server) {
			if l.w.admits(doc) {
				generic = append(generic, wanted{scored{l.w.whole.score(doc), doc}, l.ranked[0].doc, forAnyKind})
			}
		}
	}
	slices.SortFunc(generic, func(a, b wanted) int { return orderOf(nil, a.scored, b.scored) })
	return generic
}

// lift claims up to n of the last of the first places for the first documents that are
// not among these. It returns the remaining ones.
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

// place inserts documents, in their order, before the ranked one at index at, and behind
// the one before it unless both have the same score.
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
		l.w.needed[d.doc] = claim{d.score, d.by, d.why}
		l.w.consider([]int32{d.doc})
		ranked = append(ranked, d.scored)
		rest = slices.DeleteFunc(rest, func(r scored) bool { return r.doc == d.doc })
	}
	l.ranked = append(ranked, rest...)[:allPlaces]
}
