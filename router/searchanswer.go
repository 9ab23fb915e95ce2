package router

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/winnow-mcp/winnow/protocol"
)

// Bounds on the answer of mcp_search, besides those of the settings. It is never
// cut afterwards: half a schema is worse than none.
const (
	selectPrefix        = "select:"
	schemaDigestLength  = 12
	selectionSeparators = ", \n\t"
)

// Find is what mcp_search asks for.
type Find struct {
	// Query says what the tools have to do, or selects them by name.
	Query string
	// Names are exact names of tools that are wanted besides.
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

// FindTools answers mcp_search. The returned task knows which tools its model
// has been shown: a search only names these again, and one that selects tools
// by name shows all there is.
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

// selection returns the names that a query selects tools by; false for one that
// says what the tools have to do.
func (f *Find) selection() (names []string, ok bool) {
	list, ok := strings.CutPrefix(strings.TrimSpace(f.Query), selectPrefix)
	if !ok {
		return nil, false
	}
	return strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(selectionSeparators, r) }), true
}

// found ranks the tools in scope for a query, of which there may be none. One
// that is the name of a tool asks for that tool first. A limit of 0 is the
// setting's.
func (v *matching) found(t *Task, query string, limit int) []int {
	if query == "" {
		return nil
	}
	if limit <= 0 {
		limit = v.Settings.Search.Results
	}
	limit = min(limit, v.Settings.Search.MaxResults)
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

// selected returns the tools of names, and says which names are none.
func (v *answering) selected(t *Task, names []string) (found []int, notes []string) {
	tools, notes := v.loadables(t, names, "Not found: ")
	for _, i := range tools {
		if len(found) < v.Settings.Search.MaxResults && !slices.Contains(found, i) {
			found = append(found, i)
		}
	}
	return found, notes
}

// describeFound writes the tools that were found. The first ones, chosen of
// them, were selected by name and are shown in full; of the others those that
// the task's model has been shown before are only named.
func (v *answering) describeFound(t Task, found []int, chosen int) (Task, string) {
	var b strings.Builder
	count, _ := v.scoped(&t)
	fmt.Fprintf(&b, "%d of %d tools, best first. Run one by %s with its name.\n", len(found), count, CallName)
	for n, i := range found {
		tool, name := &v.Catalog.Tools[i], v.nameIn(&t, &v.Catalog.Tools[i])
		signature := tool.Signature()
		if n >= chosen && !t.Shared && t.sees(tool) {
			fmt.Fprintf(&b, "\n%s%s\nshown before; %s%s shows it again\n", name, signature, selectPrefix, name)
			continue
		}
		fmt.Fprintf(&b, "\n%s%s\n", name, signature)
		if text := shortened(tool.Text(), v.Settings.Search.DescriptionChars); text != "" {
			b.WriteString(text + "\n")
		}
		if signature == noArguments {
			t = t.show(tool)
			continue
		}
		schema := compactSchema(tool.Schema)
		if n >= chosen && utf8.RuneCountInString(schema) > v.Settings.Search.SchemaChars {
			fmt.Fprintf(&b, "schema: long, ask for it by %s%s\n", selectPrefix, name)
			continue
		}
		b.WriteString("schema: " + schema + "\n")
		t = t.show(tool)
	}
	return t, strings.TrimSuffix(b.String(), "\n")
}

// shortened returns a text on one line, cut after n characters; nothing for 0.
func shortened(text string, n int) string {
	if n == 0 {
		return ""
	}
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n]) + "…"
	}
	return text
}

// sees reports whether the task's model has seen the tool's present schema.
func (t *Task) sees(tool *Tool) bool {
	if place := t.Has(tool.ID); place >= 0 && bytes.Equal(t.Attached[place].Schema, tool.Schema) {
		return true
	}
	return slices.Contains(t.Shown, shownOf(tool))
}

// show returns the task after its model has seen a schema.
func (t Task) show(tool *Tool) Task {
	kept := slices.DeleteFunc(slices.Clone(t.Shown), func(s protocol.ShownTool) bool {
		return s.ToolRef == protocol.ToolRef(tool.ID)
	})
	t.Shown = append(kept, shownOf(tool))
	return t
}

func shownOf(tool *Tool) protocol.ShownTool {
	sum := sha256.Sum256(tool.Schema)
	return protocol.ShownTool{ToolRef: protocol.ToolRef(tool.ID), Digest: hex.EncodeToString(sum[:])[:schemaDigestLength]}
}

func compactSchema(schema json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, schema) != nil {
		return emptySchema
	}
	return b.String()
}

// CallProblem tells a model why its call by mcp_call did not run.
func CallProblem(err error) string {
	var refusal *Refusal
	if errors.As(err, &refusal) {
		return "Not called: " + refusal.text()
	}
	return "Not called: " + err.Error()
}

// InvalidArguments tells a model in what its arguments do not fit, and what
// would: the schema, or how to see it again where that is possible. The
// returned task knows that the schema was shown.
func (t Task) InvalidArguments(tool *Tool, problems []string) (Task, string) {
	text := fmt.Sprintf("Not called: the arguments do not fit %s%s.\n- %s", tool.Name, tool.Signature(),
		strings.Join(problems, "\n- "))
	if !t.Shared && t.sees(tool) && t.finder() == SearchName {
		return t, fmt.Sprintf("%s\nIts schema was shown before; %s({\"query\":%q}) shows it again.",
			text, SearchName, selectPrefix+tool.Name)
	}
	return t.show(tool), text + "\nschema: " + compactSchema(tool.Schema)
}
