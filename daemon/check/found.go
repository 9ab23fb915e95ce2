package check

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/winnow-mcp/winnow/daemon/display"
	"github.com/winnow-mcp/winnow/ranker/bank"
	"github.com/winnow-mcp/winnow/router"
)

// rank finds the tools that messages need, and ranks them.
func (c *checker) rank() {
	missing := map[string]int{}
	for m := range c.messages {
		var all []int
		groups := make([][]int, 0, len(c.messages[m].Needs))
		for _, names := range c.messages[m].Needs {
			var tools []int
			for _, name := range names {
				if i := slices.IndexFunc(c.tools, func(t router.Tool) bool { return t.Definition.Name == name }); i >= 0 {
					tools = append(tools, i)
				}
			}
			if len(tools) == 0 {
				missing[strings.Join(names, " or ")]++
				continue
			}
			groups, all = append(groups, tools), append(all, tools...)
		}
		for _, tools := range groups {
			c.needs = append(c.needs, need{message: m, tools: tools, also: all})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		c.find("unknown-tool", name, display.Count(missing[name], "message")+" need it, and the server has no such tool", do("Correct the file of messages."))
	}
	all := make([]int, len(c.needs))
	for i := range all {
		all[i] = i
	}
	c.alone, c.among = c.ranks(c.f.alone, all), c.ranks(c.f.among, all)
	c.r.Messages.Alone, c.r.Messages.Among = ranksOf(c.alone), ranksOf(c.among)
	for i := range c.tools {
		c.r.Tools[i].Alone = ranksOf(at(c.alone, c.of(i)))
		c.r.Tools[i].Among = ranksOf(at(c.among, c.of(i)))
	}
	if len(c.needs) > 0 {
		c.r.Messages.Lean = ranksOf(c.ranks(c.f.catalog(c.leaner, c.f.others, c.f.among), all))
	}
}

// ranks returns the ranks of some needs in a catalogue.
func (c *checker) ranks(catalog *router.Catalog, needs []int) []int {
	ranks := make([]int, len(needs))
	orders := map[int][]int{}
	for i, n := range needs {
		one := &c.needs[n]
		order, ok := orders[one.message]
		if !ok {
			order = c.f.order(catalog, c.messages[one.message].Text)
			orders[one.message] = order
		}
		ranks[i] = one.rank(order)
	}
	return ranks
}

// of returns the indexes of the needs that a tool meets.
func (c *checker) of(tool int) []int {
	var needs []int
	for i := range c.needs {
		if slices.Contains(c.needs[i].tools, tool) {
			needs = append(needs, i)
		}
	}
	return needs
}

// at returns the values at some indexes.
func at[T any](values []T, places []int) []T {
	out := make([]T, len(places))
	for i, place := range places {
		out[i] = values[place]
	}
	return out
}

const (
	// fewMessages is the fewest messages by which a tool is judged.
	fewMessages = 2
	// mostTried is the most tools for which lines are tried, the worst first.
	mostTried = 40
)

// found reports the tools that are not found, and those that precede them.
func (c *checker) found() {
	c.mistaken()
	worst := make([]int, 0, len(c.tools))
	for i := range c.tools {
		if r := c.r.Tools[i].Among; r.Messages >= fewMessages && 4*r.Ten < 3*r.Messages {
			worst = append(worst, i)
		}
	}
	slices.SortStableFunc(worst, func(a, b int) int {
		x, y := c.r.Tools[a].Among, c.r.Tools[b].Among
		return cmp.Compare(x.Ten*y.Messages, y.Ten*x.Messages)
	})
	for k, i := range worst {
		r := c.r.Tools[i].Among
		level := Warning
		if 2*r.Ten >= r.Messages {
			level = Note
		}
		needs := c.of(i)
		at := slices.MaxFunc(needs, func(a, b int) int { return cmp.Compare(c.among[a], c.among[b]) })
		text := fmt.Sprintf("among the first ten of %d tools by %d of %s; not by %s", len(c.f.among.Tools), r.Ten, display.Count(r.Messages, "message"), quoted(c.messages[c.needs[at].message].Text))
		var fix *Fix
		if k < mostTried {
			fix = c.mend(i, needs, c.f.among, c.f.others, func(r Ranks) int { return r.Ten })
		}
		c.findAt(level, "not-found", c.r.Tools[i].Name, text, fix)
	}
}

// mistaken reports the tools that come first for other tools' messages.
func (c *checker) mistaken() {
	counts := map[[2]int][]int{}
	for k := range c.needs {
		n := &c.needs[k]
		if c.alone[k] == 1 || len(n.tools) != 1 {
			continue
		}
		for _, tool := range c.f.order(c.f.alone, c.messages[n.message].Text) {
			if !slices.Contains(n.also, tool) {
				pair := [2]int{n.tools[0], tool}
				counts[pair] = append(counts[pair], k)
				break
			}
		}
	}
	pairs := slices.SortedFunc(maps.Keys(counts), func(a, b [2]int) int {
		return cmp.Or(cmp.Compare(len(counts[b]), len(counts[a])), cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	tried := 0
	for _, pair := range pairs {
		needs := counts[pair]
		tool, other := c.r.Tools[pair[0]], c.r.Tools[pair[1]]
		c.r.Mistaken = append(c.r.Mistaken, Mistaken{tool.Name, other.Name, len(needs), tool.Alone.Messages, c.messages[c.needs[needs[0]].message].Text})
		if len(needs) < fewMessages || 3*len(needs) < tool.Alone.Messages {
			continue
		}
		level := Warning
		if 2*len(needs) < tool.Alone.Messages {
			level = Note
		}
		var fix *Fix
		if tried++; tried <= mostTried {
			fix = c.mend(pair[0], c.of(pair[0]), c.f.alone, nil, func(r Ranks) int { return r.First })
		}
		c.findAt(level, "mistaken", tool.Name, fmt.Sprintf("%s comes first for %d of its %s, such as %s", other.Name, len(needs), display.Count(tool.Alone.Messages, "message"),
			quoted(c.messages[c.needs[needs[0]].message].Text)), fix)
	}
}

// mend tries to append words of a tool's messages to its description. It returns the line
// if, by better, it improves the ranks of the tool's messages and does not worsen all
// others. Each message is ranked with a line made from the other messages only, so that
// it does not profit from its own words.
func (c *checker) mend(tool int, needs []int, catalog *router.Catalog, others []router.ServerInput, better func(Ranks) int) *Fix {
	words := c.missing(tool, needs)
	if len(words) == 0 {
		return nil
	}
	t := &c.tools[tool]
	try := func(words []string, needs []int) []int {
		if len(words) == 0 {
			return c.ranks(catalog, needs)
		}
		return c.ranks(c.f.catalog(c.changed(tool, withLine(t.Description, wordsLine(words))), others, catalog), needs)
	}
	before := ranksOf(c.ranks(catalog, needs))
	var ranks []int
	held := len(needs) >= 2*fewMessages
	if held {
		ranks = c.heldOut(tool, needs, try)
	} else {
		ranks = try(words, needs)
	}
	after := ranksOf(ranks)
	if better(after) <= better(before) {
		return nil
	}
	var rest []int
	for i := range c.needs {
		if !slices.Contains(needs, i) {
			rest = append(rest, i)
		}
	}
	if lost := better(ranksOf(c.ranks(catalog, rest))) - better(ranksOf(try(words, rest))); lost >= better(after)-better(before) {
		return nil
	}
	line := wordsLine(words)
	return &Fix{Do: "Add to its description, in a sentence of yours.", Line: line, Tokens: c.f.count(" " + line), Before: &before, After: &after, HeldOut: held}
}

// heldOut ranks each message with a line made from the other messages. Messages with the
// same line are ranked together.
func (c *checker) heldOut(tool int, needs []int, try func(words []string, needs []int) []int) (ranks []int) {
	of, lines := map[string][]int{}, []string{}
	for _, n := range needs {
		line := strings.Join(c.missing(tool, slices.DeleteFunc(slices.Clone(needs), func(other int) bool { return other == n })), " ")
		if of[line] == nil {
			lines = append(lines, line)
		}
		of[line] = append(of[line], n)
	}
	for _, line := range lines {
		ranks = append(ranks, try(strings.Fields(line), of[line])...)
	}
	return ranks
}

// wordsLine returns the proposed line.
func wordsLine(words []string) string { return "Use it for: " + strings.Join(words, ", ") + "." }

func withLine(description, line string) string { return strings.TrimSpace(description + " " + line) }

// changed returns the server's tools, with one description replaced.
func (c *checker) changed(tool int, description string) []json.RawMessage {
	raws := make([]json.RawMessage, len(c.tools))
	for i := range c.tools {
		raws[i] = c.tools[i].Raw
	}
	raws[tool] = withDescription(raws[tool], description)
	return raws
}

const (
	// mostWords is the most words of a line.
	mostWords = 6
	// shortWord is the fewest letters of a meaningful word.
	shortWord = 4
	// common is the inverse share of other servers' phrasings from which a word is not
	// specific.
	common = 150
)

// missing returns the words of some needs' messages that the tool's own texts lack, most
// frequent first.
func (c *checker) missing(tool int, needs []int) []string {
	t := &c.tools[tool]
	text := t.Definition.Name + " " + t.Title + " " + t.Description
	for _, p := range t.Parameters {
		text += " " + p.Name + " " + p.Description
	}
	has := bank.Words(text)
	counts := map[string]int{}
	for _, n := range needs {
		for _, word := range wordsOf(c.messages[c.needs[n].message].Text) {
			if c.isCommon(word) || slices.ContainsFunc(has, func(other string) bool { return sameStem(word, other) }) {
				continue
			}
			counts[word]++
		}
	}
	if len(needs) > fewMessages { // a word of a single message is accidental
		maps.DeleteFunc(counts, func(_ string, n int) bool { return n < fewMessages })
	}
	words := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	return words[:min(len(words), mostWords)]
}

// wordsOf returns the distinct plain words of a message, without names, numbers, paths
// and quotations.
func wordsOf(message string) []string {
	var words []string
	open := false
	for i, field := range strings.Fields(message) {
		begins, ends := strings.IndexAny(field, "'\"`“‘") == 0, strings.ContainsAny(field[1:], "'\"`”’")
		quoted := open || begins
		open = (open || begins) && !ends
		word := strings.Trim(field, ".,;:!?()[]{}…")
		if i == 0 {
			word = strings.ToLower(word)
		}
		plain := !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLower(r) })
		if plain && !quoted && len(word) >= shortWord && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

// sameStem reports whether two words differ only in their ending.
func sameStem(a, b string) bool {
	const ending = 3
	n := min(len(a), len(b))
	stem := max(n-ending, shortWord)
	return n >= stem && a[:min(stem, n)] == b[:min(stem, n)] && max(len(a), len(b))-n <= ending
}

// isCommon reports whether people use a word for many kinds of tools.
func (c *checker) isCommon(word string) bool {
	if c.said == nil {
		c.said = map[string]int{}
		for i := range c.f.phrasings.Len() {
			e := c.f.phrasings.Entry(i)
			if !slices.Contains(otherServers, e.Server) {
				continue
			}
			for _, phrasing := range e.Phrasings {
				c.phrasings++
				for _, word := range wordsOf(phrasing) {
					c.said[word]++
				}
			}
		}
	}
	return c.said[word]*common > c.phrasings
}

// own searches tools by their own words if there are no better messages: by name and
// first sentence.
func (c *checker) own() {
	for i := range c.tools {
		t := &c.tools[i]
		sentence := firstSentence(t.Description)
		if c.r.Tools[i].Alone.Messages > 0 || len(strings.Fields(sentence)) < 2 {
			continue
		}
		one := need{tools: []int{i}, also: []int{i}}
		order := c.f.order(c.f.alone, sentence)
		alone, among := one.rank(order), one.rank(c.f.order(c.f.among, sentence))
		if alone == 1 && among <= 5 {
			continue
		}
		text := fmt.Sprintf("its own first sentence finds it at rank %d of %d tools", among, len(c.f.among.Tools))
		if alone > 1 && len(order) > 0 {
			text = fmt.Sprintf("its own first sentence finds %s before it: %s", c.tools[order[0]].Definition.Name, quoted(sentence))
		}
		line := spoken(t.Definition.Name) + "."
		changed := c.f.catalog(c.changed(i, line+" "+t.Description), c.f.others, c.f.among)
		after := one.rank(c.f.order(changed, sentence))
		var fix *Fix
		if before, now := ranksOf([]int{among}), ranksOf([]int{after}); after < among {
			fix = &Fix{Do: "Begin its description so, in a sentence of yours.", Line: line, Tokens: c.f.count(line + " "), Before: &before, After: &now}
		}
		c.find("says-little", t.Definition.Name, text, fix)
	}
}

// tryDescription reports a missing description, with the ranks under a new one.
func (c *checker) tryDescription(tool int, rule, text, what, line string) {
	fix := &Fix{Do: what, Line: line, Tokens: c.f.count(line)}
	c.compare(fix, tool, line)
	c.find(rule, c.r.Tools[tool].Name, text, fix)
}

// cutDescription reports a description that is cut, with its ranks under the rest.
func (c *checker) cutDescription(tool, n int) {
	description := c.tools[tool].Description
	end := tail(description)
	kept := description[:strings.Index(description, end)+len(end)]
	fix := &Fix{Do: "Say first what the tool is for, and move the rest into parameters, instructions or a resource.", Tokens: c.f.count(kept) - c.f.count(description)}
	c.compare(fix, tool, kept)
	c.find("description-cut", c.r.Tools[tool].Name, fmt.Sprintf("%d characters; Claude Code cuts at %d, behind %s", n, cutByClaudeCode, quoted(end)), fix)
}

// compare ranks a tool's messages under another description.
func (c *checker) compare(fix *Fix, tool int, description string) {
	if needs := c.of(tool); len(needs) > 0 {
		before := ranksOf(at(c.among, needs))
		after := ranksOf(c.ranks(c.f.catalog(c.changed(tool, description), c.f.others, c.f.among), needs))
		fix.Before, fix.After = &before, &after
	}
}
