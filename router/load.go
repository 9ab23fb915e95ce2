package router

import (
	"fmt"
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router/reasons"
)

// Load attaches the tools that a model requests. A repeated request changes nothing and
// reports what is attached.
func (v *answering) Load(t Task, r Request) (Task, Loaded) {
	answer := loadAnswer{view: &v.naming, query: QueryText(r.Query)}
	found, sure := v.wanted(&t, r, &answer)
	for _, i := range found {
		if v.attaches(&t, &v.Catalog.Tools[i]) {
			answer.already = append(answer.already, i)
		} else {
			answer.attached = append(answer.attached, i)
		}
	}
	picks := make([]pick, len(answer.attached))
	for n, i := range answer.attached {
		picks[n] = pick{tool: i, reason: protocol.ReasonLoaded}
	}
	t, dropped := v.attach(t, picks)
	answer.refused = dropped
	answer.attached = slices.DeleteFunc(answer.attached, func(i int) bool { return slices.Contains(dropped, i) })
	t = v.nameAnswered(t, answer.named)
	loaded := answer.result(&t)
	loaded.Sought = v.sought(&t, answer.attached, found[:sure])
	return t, loaded
}

// sought returns the tools attached now that are among sure.
func (v *answering) sought(t *Task, attached, sure []int) []ToolID {
	if t.Routing != protocol.AttachDynamic {
		return nil
	}
	var ids []ToolID
	for _, i := range attached {
		if slices.Contains(sure, i) {
			ids = append(ids, v.Catalog.Tools[i].ID)
		}
	}
	return ids
}

// wanted returns the tools that a request means: those it names, in its order, then those
// that fit its query, best first. The first sure of them are the named ones and the best
// fit.
func (v *answering) wanted(t *Task, r Request, answer *loadAnswer) (found []int, sure int) {
	add := func(i int) {
		if !slices.Contains(found, i) {
			found = append(found, i)
		}
	}
	named, notes := v.loadables(t, r.Names, "Not loaded: ")
	answer.notes = notes
	for _, i := range named {
		add(i)
	}
	if answer.query == "" {
		return found, len(found)
	}
	sure = len(found) + 1
	limit := r.Limit
	if limit <= 0 {
		limit = v.Settings.SearchK
	}
	limit = min(limit, len(v.Catalog.Tools))
	most := len(found) + limit
	// A query that is a tool's name means that tool.
	if i, ok := v.Catalog.Resolve(answer.query); ok && v.admits(t, i) {
		add(i)
	}
	for _, m := range v.ranker.Rank(v.query(t, answer.query, limit+min(limit, v.Settings.Named))) {
		switch {
		case slices.Contains(found, m.Doc):
		case len(found) < most:
			add(m.Doc)
		case !v.attaches(t, &v.Catalog.Tools[m.Doc]):
			answer.named = append(answer.named, m.Doc)
		}
	}
	return found, min(sure, len(found))
}

// maxNames bounds the names looked up in one request. A model may give any number, and an
// unknown name is compared with every tool.
const maxNames = 200

// loadables returns the tools that names mean. notes explains the names that mean none,
// each prefixed with refused, up to maxNotes.
func (v *answering) loadables(t *Task, names []string, refused string) (tools []int, notes []string) {
	if more := len(names) - maxNames; more > 0 {
		names = names[:maxNames]
		notes = append(notes, fmt.Sprintf("%d more names were not looked at; give at most %d at a time.", more, maxNames))
	}
	for _, name := range names {
		id, known := v.Means(t, name)
		i, offered := v.Catalog.Lookup(id)
		switch {
		case known && offered && v.admits(t, i):
			tools = append(tools, i)
		case len(notes) >= maxNotes: // an unknown name is no longer looked up
		case !known:
			notes = append(notes, refused+v.unknown(t, name).text())
		case !offered:
			notes = append(notes, refused+gone(id).text())
		default:
			rule := v.Rule(t, i)
			notes = append(notes, fmt.Sprintf("%s%s may not be used: %s. Change that to allow it: %s.",
				refused, v.Catalog.Tools[i].Name, reasons.Plain(rule), reasons.Text(rule)))
		}
	}
	return tools, notes
}
