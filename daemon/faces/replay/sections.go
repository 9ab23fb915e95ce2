package replay

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-mcp/winnow/daemon/display"
	"github.com/winnow-mcp/winnow/daemon/history"
)

// section is a part of a report for a terminal or a page.
type section struct {
	title string
	text  []string
	table *table
	// half: a page shows it beside another one.
	half bool
}

// table is the table of a section. right holds the indices of numeric columns; bar, if
// set, holds a share for each row.
type table struct {
	head  []string
	right []int
	rows  [][]string
	bar   []float64
	// links are the settings that an editor opens, by row.
	links []string
}

// meanings describes the outcomes.
var meanings = map[Outcome]string{
	InFull:     "the request would have had the tool",
	ByName:     "the model would have known its name, and asked for it: one more request",
	Found:      "among the next best for the message: one more request, if the model searches",
	NotFound:   "the message does not lead there",
	OutOfScope: "your rules keep the tool out",
	Unknown:    "the tool is in no list that is known: neither a hit nor a miss",
}

// sections returns the report as text and tables.
func (r *Report) sections(readers []history.Reader) []section {
	name := nameOf(readers)
	if r.Recorded {
		all := []section{r.record()}
		if total(r.Calls) > 0 {
			all = append(all, r.calls(), byRows("By client", "Client", r.Clients, name), byRows("By server", "Server", r.Servers, name))
		}
		return all
	}
	all := []section{r.beginning(readers)}
	if total(r.Calls) > 0 {
		all = append(all, r.calls(), r.saved(), r.worse())
		all = append(all, byRows("By client", "Client", r.Clients, name), byRows("By server", "Server", r.Servers, name))
	}
	if len(r.Misses) > 0 {
		all = append(all, r.missed())
	}
	if len(r.Others) > 0 {
		all = append(all, r.others())
	}
	if len(r.Idle) > 0 {
		all = append(all, r.idle())
	}
	return append(all, r.read(readers))
}

func (r *Report) beginning(readers []history.Reader) section {
	s := section{title: "What Winnow would have done"}
	if r.Messages == 0 {
		var names []string
		for _, reader := range readers {
			names = append(names, reader.Name)
		}
		s.text = []string{"No conversation of " + strings.Join(names, ", ") + " was found."}
		return s
	}
	span := ""
	if !r.From.IsZero() {
		span = fmt.Sprintf(" from %s to %s", r.From.Local().Format(time.DateOnly), r.To.Local().Format(time.DateOnly))
	}
	s.text = []string{
		fmt.Sprintf("%s in %s%s.", display.Count(r.Messages, "message"), display.Count(r.Conversations, "conversation"), span),
		fmt.Sprintf("%s of MCP servers' tools; %s of the clients' own tools, which no rule is about.", display.Count(total(r.Calls), "call"), display.Number(r.Own)),
		r.Caution,
	}
	return s
}

// record returns the first section for the record of calls.
func (r *Report) record() section {
	s := section{title: "What the record of calls says", text: []string{"No call is recorded."}}
	if n := total(r.Calls); n > 0 {
		s.text = []string{fmt.Sprintf("%s in %s from %s to %s. Unknown are those that an earlier version has recorded.", display.Count(n, "call"),
			display.Count(r.Conversations, "task"), r.From.Local().Format(time.DateOnly), r.To.Local().Format(time.DateOnly))}
	}
	return s
}

func (r *Report) calls() section {
	t := &table{head: []string{"How calls end", "Calls", "First calls", "Meaning"}, right: []int{1, 2}}
	for _, o := range Outcomes() {
		t.rows = append(t.rows, []string{string(o), display.Number(r.Calls[o]), display.Number(r.First[o]), meanings[o]})
		t.bar = append(t.bar, float64(r.Calls[o])/float64(max(1, total(r.Calls))))
	}
	s := section{title: "Attached when called", text: []string{"Of no call is it known what tools there were."}, table: t}
	if r.Share.Of > 0 {
		s.text = []string{
			fmt.Sprintf("In full: %s of %s.", r.Share.words(), display.Count(r.Share.Of, "call")),
			fmt.Sprintf("First calls of a tool in a conversation: %s of %s. What was called stays, so later calls are easy.", r.FirstShare.words(), display.Number(r.FirstShare.Of)),
		}
	}
	return s
}

// words formats a share with its interval.
func (s Share) words() string {
	if s.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%s (between %s and %s)", percent(s.Share), percent(s.From), percent(s.To))
}

func percent(share float64) string { return strconv.Itoa(int(math.Round(share*100))) + "%" }

func (r *Report) saved() section {
	c := &r.Costs
	s := section{title: "Saved", half: true}
	if c.Requests == 0 {
		s.text = []string{"No request could be compared: no list of tools is known, or none had these tools."}
		return s
	}
	before, after := c.each(c.TokensBefore), c.each(c.TokensAfter)
	s.text = []string{fmt.Sprintf("Tools in a request: %s tokens before, %s after, on average of %s.",
		display.Number(before), display.Number(after), display.Count(c.Requests, "request"))}
	if p := &c.Priced; p.Requests > 0 && p.Before > 0 {
		s.text = append(s.text, fmt.Sprintf("%s of the price of the input: %s of %s, %s. That is of %s of which the log says what a cache served.",
			percent(p.Saved/p.Before), r.amount(p.Saved), r.amount(p.Before), r.unit(), display.Count(p.Requests, "request")))
	} else {
		s.text = append(s.text, "No price: the logs do not say what a cache served.")
	}
	if c.Without > 0 {
		s.text = append(s.text, fmt.Sprintf("%s are left out: the provider counted less than the tools that are known, so they were not sent.", display.Count(c.Without, "request")))
	}
	return s
}

func (r *Report) worse() section {
	c := &r.Costs
	s := section{title: "What would have got worse", half: true}
	s.text = []string{fmt.Sprintf("%s more to ask for tools, of %s.", display.Count(c.Rounds, "request"), display.Number(c.Requests))}
	if n := r.Calls[NotFound] + r.Calls[OutOfScope]; n > 0 {
		s.text = append(s.text, fmt.Sprintf("%s that the model might not have made, because the tool is not found or out of scope.", display.Count(n, "call")))
	}
	if p := &c.Priced; p.Requests > 0 && p.Before > 0 {
		s.text = append(s.text,
			fmt.Sprintf("%s of the price of the input, %s: these requests, and what the cache loses where the tools change, %s.",
				percent(p.Worse/p.Before), r.amount(p.Worse), times(p.CacheBreaks)),
			fmt.Sprintf("With what is saved, the input would have cost %s of what it did.", percent((p.Before-p.Saved+p.Worse)/p.Before)))
	}
	return s
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return display.Number(n) + " times"
}

// amount formats a price.
func (r *Report) amount(v float64) string {
	if r.Prices == RelativePrices {
		return display.Tokens(int(v))
	}
	return strconv.FormatFloat(v/1e6, 'f', 2, 64)
}

// unit describes the unit of prices.
func (r *Report) unit() string {
	if r.Prices == RelativePrices {
		return "in tokens at the price of input that no cache has"
	}
	return "at your prices"
}

func byRows(title, what string, rows []Row, name func(string) string) section {
	t := &table{head: []string{what, "Calls", "In full", "By name", "Found", "Not found", "Out of scope", "Unknown"}, right: []int{1, 3, 4, 5, 6, 7}}
	for _, row := range rows {
		cells := []string{name(row.Name), display.Number(total(row.Calls)), row.Share.words()}
		for _, o := range Outcomes()[1:] {
			cells = append(cells, display.Number(row.Calls[o]))
		}
		t.rows, t.bar = append(t.rows, cells), append(t.bar, row.Share.Share)
	}
	return section{title: title, table: t}
}

func nameOf(readers []history.Reader) func(string) string {
	return func(id string) string {
		for _, r := range readers {
			if r.ID == id {
				return r.Name
			}
		}
		return id
	}
}

func (r *Report) missed() section {
	t := &table{head: []string{"Message", "Tool", "Rank", "Why"}, right: []int{2}}
	for i := range r.Misses {
		m := &r.Misses[i]
		rank := "none"
		if m.Rank > 0 {
			rank = display.Number(m.Rank)
		}
		said := m.Message
		if said == "" {
			said = "(" + m.At.Local().Format(time.DateTime) + ")"
		}
		t.rows = append(t.rows, []string{shortened(said), m.Server + "/" + m.Tool, rank, m.Why})
	}
	return section{title: "Worst misses", table: t}
}

// shortened returns the beginning of a message on one line, at most 160 runes.
func shortened(text string) string {
	const longest = 160
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= longest {
		return string(runes)
	}
	return string(runes[:longest]) + "…"
}

func (r *Report) others() section {
	t := &table{head: []string{"Change", "In full", "Tokens a request", "Requests more", "How"}, right: []int{2, 3}}
	add := func(change string, s Share, tokens, rounds int, how, link string) {
		t.rows = append(t.rows, []string{change, s.words(), display.Number(tokens), display.Number(rounds), how})
		t.bar, t.links = append(t.bar, s.Share), append(t.links, link)
	}
	add("as it is", r.Share, r.Costs.each(r.Costs.TokensAfter), r.Costs.Rounds, "", "")
	for _, o := range r.Others {
		add(o.Change, o.Share, o.TokensAfter, o.Rounds, o.Set, o.Setting)
	}
	return section{
		title: "Other settings", table: t,
		text: []string{"Each replayed by itself; of the pins it is worked out. A setting goes into VS Code's settings, or without `winnow.` into the file of -settings; a pin into winnow.json."},
	}
}

func (r *Report) idle() section {
	t := &table{head: []string{"Server", "Tools", "Conversations"}, right: []int{1, 2}}
	for _, i := range r.Idle {
		t.rows = append(t.rows, []string{i.Server, display.Number(i.Tools), display.Number(i.Conversations)})
	}
	return section{title: "Offered and not called in these conversations", table: t}
}

func (r *Report) read(readers []history.Reader) section {
	s := section{title: "What was read", text: []string{fmt.Sprintf("%s; %s that could not be read.", display.Count(r.Read.Files, "file"), display.Count(r.Read.Damaged, "line"))}}
	if len(r.Read.Unknown) > 0 {
		var kinds []string
		for _, kind := range sortedKeys(r.Read.Unknown) {
			kinds = append(kinds, fmt.Sprintf("%s (%d)", kind, r.Read.Unknown[kind]))
		}
		s.text = append(s.text, "Records of kinds that are not known: "+strings.Join(kinds, ", ")+".")
	}
	if len(r.Untold) > 0 {
		s.text = append(s.text, "Not known yet are the tools of "+strings.Join(r.Untold, ", ")+"; `winnowd servers -start` lists them.")
	}
	for _, reader := range readers {
		if reader.Note != "" {
			s.text = append(s.text, reader.Name+": "+reader.Note+".")
		}
	}
	return s
}
