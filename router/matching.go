package router

import (
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/ranker"
)

// pick is a tool to be attached.
type pick struct {
	tool   int
	reason protocol.AttachReason
	score  float64
}

// RankerName returns the name of the ranker of this view.
func (v *matching) RankerName() string { return v.ranker.Name() }

// rank returns the best tools in the task's scope for the subject of the user's messages.
func (v *matching) rank(t *Task, limit int, explain bool) []ranker.Match {
	q, ok := v.withSubject(t, limit)
	if !ok {
		return nil
	}
	q.Explain = explain
	if v.gating != nil {
		q.Eligible = func(doc int) bool { return v.attachable(t, doc) }
	}
	return v.ranker.Rank(q)
}

// ranked returns the k best tools for the task's message.
func (v *matching) ranked(t *Task, k int) []pick {
	if k <= 0 {
		return nil
	}
	matches := v.rank(t, k, false)
	picks := make([]pick, len(matches))
	for i, m := range matches {
		picks[i] = pick{tool: m.Doc, reason: protocol.ReasonRanked, score: m.Score}
	}
	return picks
}

// query returns the query for the tools in the task's scope that fit a text, regardless
// of the conversation.
func (v *matching) query(t *Task, text string, limit int) ranker.Query {
	q := ranker.Query{
		Text:     text,
		Eligible: func(doc int) bool { return v.admits(t, doc) },
		Pinned:   func(doc int) bool { return v.userPinned(t, doc) },
		Limit:    limit,
		Memory:   v.Memory,
		Families: v.families(t),
	}
	if text == v.queryText {
		q.Vector = v.queryVector
	}
	if len(v.Usage) > 0 {
		q.Uses = func(doc int) float64 { return v.Usage[v.Catalog.Tools[doc].ID] }
	}
	return q
}

// families returns the families of servers that the context suggests, strongest first:
// what the task called, the folder, and what the workspace used lately.
func (v *matching) families(t *Task) []ranker.Family {
	if !v.Settings.Learn.Folder {
		return nil
	}
	var families []ranker.Family
	add := func(server, evidence string) {
		if !slices.ContainsFunc(families, func(f ranker.Family) bool { return f.Name == server }) {
			families = append(families, ranker.Family{Name: server, Evidence: evidence})
		}
	}
	if n := len(t.Called); n > 0 {
		add(t.Called[n-1].Server, "this chat has just called its server")
	}
	for _, f := range v.Families {
		add(f.Name, f.Evidence)
	}
	for _, server := range v.recentServers() {
		add(server, "its server was used lately in this workspace")
	}
	return families
}

func (v *matching) calledTools(t *Task) []int {
	var called []int
	for _, id := range t.Called {
		if i, ok := v.Catalog.Lookup(id); ok {
			called = append(called, i)
		}
	}
	return called
}

// Search returns the tools of the task's scope that fit a query, best first.
// A limit of 0 is `searchK`.
func (v *matching) Search(t *Task, query string, limit int, explain bool) []ranker.Match {
	if limit <= 0 {
		limit = v.Settings.SearchK
	}
	q := v.query(t, query, limit)
	q.Explain = explain
	return v.ranker.Rank(q)
}

// maxFound is the most tools that mcp_search finds, whatever limit the model gives.
const maxFound = 20

// found ranks the tools in scope for a query, which may be empty. If the query is a
// tool's name, that tool comes first. A limit of 0 means `searchK`.
func (v *matching) found(t *Task, query string, limit int) []int {
	if query == "" {
		return nil
	}
	if limit <= 0 {
		limit = v.Settings.Search.Results
	}
	limit = min(limit, maxFound)
	var found []int
	if i, ok := v.Catalog.Resolve(query); ok && v.admits(t, i) {
		found = append(found, i)
	}
	for _, m := range v.ranker.Rank(v.query(t, query, limit)) {
		if len(found) < limit && !slices.Contains(found, m.Doc) {
			found = append(found, m.Doc)
		}
	}
	return found
}

// TurnText returns the text that [View.Turn] ranks tools for: the message, or the task's
// latest message that says what it is about. It is empty if none does. A query vector has
// to be for exactly this text.
func (v *matching) TurnText(t Task, message string) string {
	t = t.said(message)
	return v.RankedText(&t)
}

// CompactText is like [View.TurnText], for [View.Compact].
func (v *matching) CompactText(t Task, message string) string {
	t = t.repeated(message)
	return v.RankedText(&t)
}

// RankedText returns the text that tools were ranked for in the task's latest turn, and
// that [View.Explain] uses.
func (v *matching) RankedText(t *Task) string {
	text, _, _ := v.subject(t)
	return text
}

// QueryText returns the text that [View.Load] ranks tools for, given the model's query.
func QueryText(query string) string { return loadQuery(query) }
