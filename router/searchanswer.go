package router

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Find is a request of mcp_search.
type Find struct {
	// Query says what the tools have to do, or selects them by name.
	Query string
	// Names are exact names of tools to return as well.
	Names []string
	// Limit is the most tools; 0 is the setting's.
	Limit int
}

// Found is the answer to a [Find].
type Found struct {
	// Tools are ordinals in the catalogue, best first.
	Tools []int
	// Text is the answer for the model.
	Text string
}

// FindTools answers mcp_search. The returned task records which tools its model has been
// shown. A search lists those by name only; a selection by name shows them in full.
func (v *answering) FindTools(t Task, f Find) (Task, Found) {
	listed, selects := f.selection()
	names, query := slices.Concat(f.Names, listed), FindText(f)
	found, notes := v.selected(&t, names)
	chosen := len(found)
	for _, i := range v.found(&t, query, f.Limit) {
		if !slices.Contains(found, i) {
			found = append(found, i)
		}
	}
	if len(found) == 0 {
		miss := loadAnswer{view: &v.naming, query: query}
		if selects || len(f.Names) > 0 {
			miss.query = loadQuery(strings.Join(names, " "))
		}
		return t, Found{Text: strings.Join(append(notes, miss.miss(&t)), "\n")}
	}
	t, text := v.describeFound(t, found, chosen)
	return t, Found{Tools: found, Text: strings.Join(append(notes, text), "\n")}
}

// selection returns the names that a query selects tools by, and false if the query is a
// search.
func (f *Find) selection() (names []string, ok bool) {
	list, ok := strings.CutPrefix(strings.TrimSpace(f.Query), selectPrefix)
	if !ok {
		return nil, false
	}
	return strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(selectionSeparators, r) }), true
}

// Bounds on a tool in an answer of mcp_search, in characters. A longer description is
// cut; a longer schema is left out.
const (
	foundDescription = 300
	foundSchema      = 6000
)

// selected returns the tools of names, and notes about names that match none.
func (v *answering) selected(t *Task, names []string) (found []int, notes []string) {
	tools, notes := v.loadables(t, names, "Not found: ")
	for _, i := range tools {
		if len(found) < maxFound && !slices.Contains(found, i) {
			found = append(found, i)
		}
	}
	return found, notes
}

// describeFound writes the tools that were found. The first chosen ones were selected by
// name and are shown in full. Of the others, those that the task's model has already been
// shown are only named.
func (v *answering) describeFound(t Task, found []int, chosen int) (Task, string) {
	var b strings.Builder
	count, _ := v.scoped(&t)
	fmt.Fprintf(&b, "%d of %d tools, best first. Run one by %s with its name.\n", len(found), count, CallName)
	for n, i := range found {
		tool, name := &v.Catalog.Tools[i], v.nameIn(&t, &v.Catalog.Tools[i])
		signature, mark := tool.Signature(), ""
		if t.Gateway != "" && tool.OnlyReads() {
			mark = " " + readsMark // the task has mcp_read
		}
		if n >= chosen && !t.Shared && t.sees(tool) {
			fmt.Fprintf(&b, "\n%s%s%s\nshown before; %s%s shows it again\n", name, signature, mark, selectPrefix, name)
			continue
		}
		fmt.Fprintf(&b, "\n%s%s%s\n", name, signature, mark)
		if text := v.Catalog.whose(tool) + shortened(tool.Text(), foundDescription); text != "" {
			b.WriteString(text + "\n")
		}
		if signature == noArguments {
			t = t.show(tool)
			continue
		}
		schema := compactSchema(tool.Schema)
		if n >= chosen {
			schema = compactSchema(v.presented(i).schema)
		}
		if n >= chosen && utf8.RuneCountInString(schema) > foundSchema {
			fmt.Fprintf(&b, "schema: long, ask for it by %s%s\n", selectPrefix, name)
			continue
		}
		b.WriteString("schema: " + schema + "\n")
		t = t.show(tool)
	}
	return t, strings.TrimSuffix(b.String(), "\n")
}

// CallProblem returns the text for a model whose call by mcp_call did not run.
func CallProblem(err error) string {
	var refusal *Refusal
	if errors.As(err, &refusal) {
		return "Not called: " + refusal.text()
	}
	return "Not called: " + err.Error()
}

// FindText returns the text that [View.FindTools] ranks tools for. It is empty if tools
// are only selected by name.
func FindText(f Find) string {
	if _, ok := f.selection(); ok {
		return ""
	}
	return QueryText(f.Query)
}
