package wire

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Declaration is a tool that is offered beside the client's.
type Declaration struct {
	Name        string
	Description string
	// Schema is a JSON Schema of an object.
	Schema json.RawMessage
}

// Edit says which tools a request is to carry.
type Edit struct {
	// Managed says of each of [Request.Tools] whether it may be left out. The
	// others stay where they are.
	Managed []bool
	// Attached are positions of managed tools, in the order in which they are
	// to be sent, behind every other tool: what is attached later comes last,
	// so that a provider's cache of what stands before it stays valid.
	Attached []int
	// Added come before the attached tools.
	Added []Declaration
	// Deferred are positions of managed tools that come last, marked for the
	// provider to load when the model searches for them; see [Request.Defers].
	// With them comes the provider's own search tool, where there is none.
	Deferred []int
	// Inserted puts messages into the conversation, in the order of At.
	Inserted []Insertion
}

// Insertion puts messages into a conversation.
type Insertion struct {
	// At is the position in [Request.Messages] before which they come; the
	// number of messages puts them at the end.
	At int
	// Messages are in the request's format.
	Messages [][]byte
	// Replace: the message At is left out; Messages stand for it too.
	Replace bool
}

// identity reports whether an edit of the tools changes nothing.
func (e *Edit) identity() bool {
	managed := 0
	for _, m := range e.Managed {
		if m {
			managed++
		}
	}
	return len(e.Attached) == managed && len(e.Added) == 0 && len(e.Deferred) == 0
}

// Apply returns the edited body. When nothing is left out or added, that is
// [Request.Body] itself, with the tools in the client's own order.
func (q *Request) Apply(e *Edit) []byte {
	var pieces []splice
	bare := false
	if !e.identity() {
		tools := q.editTools(e)
		bare = q.Format != Gemini && string(tools) == "[]" // Google takes an empty list
		pieces = append(pieces, splice{q.tools, tools})
	}
	if len(e.Inserted) > 0 {
		pieces = append(pieces, splice{q.messages, q.editMessages(e.Inserted)})
	}
	body := spliced(q.Body, pieces...)
	if bare {
		return withoutMembers(body, toolMembers)
	}
	return body
}

// toolMembers are those of a body that providers refuse where no tool is left.
var toolMembers = []string{"tools", "tool_choice", "parallel_tool_calls"}

// withoutMembers returns an object without the members of some names.
func withoutMembers(object []byte, names []string) []byte {
	r := newReader(object)
	var kept list
	_, err := r.object(func(name string) error {
		at, err := r.skip()
		if err == nil && !slices.Contains(names, name) {
			kept.add(slices.Concat(quote(name), []byte(":"), at.in(object)))
		}
		return err
	})
	if err != nil {
		return object
	}
	return slices.Concat([]byte("{"), bytes.Join(kept, []byte(",")), []byte("}"))
}

// editMessages returns the array of messages with the insertions.
func (q *Request) editMessages(inserted []Insertion) []byte {
	var list list
	for i := range len(q.Messages) + 1 {
		replaced := false
		for len(inserted) > 0 && inserted[0].At <= i {
			list.add(inserted[0].Messages...)
			replaced = replaced || inserted[0].Replace
			inserted = inserted[1:]
		}
		if i < len(q.Messages) && !replaced {
			list.add(q.Raw(&q.Messages[i]))
		}
	}
	return list.json()
}

// editTools returns the array of tools: what is not managed, then what is
// added, then what is attached.
func (q *Request) editTools(e *Edit) []byte {
	t := toolEditor{request: q, edit: e, byGroup: map[int][]int{}, deferred: map[int]bool{}}
	for _, i := range e.Deferred {
		t.deferred[i] = true
	}
	for _, i := range slices.Concat(e.Attached, e.Deferred) {
		t.byGroup[q.Tools[i].group] = append(t.byGroup[q.Tools[i].group], i)
	}
	t.markAttached()
	for g := range q.elements {
		t.stay(g)
	}
	if declared := t.declarations(); !t.addedPlaced && len(declared) > 0 {
		if q.Format == Gemini { // a function stands in a group
			declared = list{slices.Concat([]byte(`{"functionDeclarations":`), declared.json(), []byte("}"))}
		}
		t.out.add(declared...)
	}
	if len(e.Deferred) > 0 && !q.searches {
		t.out.add([]byte(searchTools[q.Format]))
	}
	for _, i := range slices.Concat(e.Attached, e.Deferred) {
		t.attach(i)
	}
	return t.out.json()
}

// toolEditor rebuilds the array of tools.
type toolEditor struct {
	request *Request
	edit    *Edit
	// byGroup are the attached tools of each element.
	byGroup map[int][]int
	// deferred has true for those of [Edit.Deferred].
	deferred map[int]bool
	// last is the attached tool that gets the cache breakpoint; -1 is none.
	last int
	mark []byte
	out  list
	// addedPlaced: the added tools are in a group already.
	addedPlaced bool
}

// markAttached moves the cache breakpoints of managed tools to the last one
// attached: it closes the same part of the request as the client's did, and
// their number can only fall. Where none is attached, the last tool before them
// that stays gets it.
func (t *toolEditor) markAttached() {
	t.last = -1
	stays := -1
	for i := range t.request.Tools {
		tool := &t.request.Tools[i]
		switch {
		case !t.edit.Managed[i]:
			stays = i
		case tool.Marked:
			t.mark, t.last = bytes.Trim(tool.mark.in(t.request.Body), space+","), stays
		}
	}
	if n := len(t.edit.Attached); n > 0 && t.mark != nil {
		t.last = t.edit.Attached[n-1]
	}
	if t.last >= 0 && !t.edit.Managed[t.last] && t.request.Tools[t.last].Marked {
		t.last = -1 // it has one of its own
	}
}

// stay writes an element that keeps its place: one with a tool, or anything
// else, that is not managed.
func (t *toolEditor) stay(g int) {
	e := &t.request.elements[g]
	kept := list{}
	for _, i := range e.tools {
		if !t.edit.Managed[i] {
			kept.add(t.tool(i))
		}
	}
	switch {
	case len(kept) == len(e.tools) && !slices.Contains(e.tools, t.last): // nothing in it changes
		t.out.add(e.at.in(t.request.Body))
	case len(kept) == 1 && e.inner.empty():
		t.out.add(kept...)
	case len(kept) == 0: // everything is: see attach
	default:
		if t.request.Format == Gemini && !t.addedPlaced {
			kept.add(t.declarations()...)
			t.addedPlaced = true
		}
		t.out.add(t.group(g, kept))
		delete(t.byGroup, g)
	}
}

// attach writes the element of an attached tool, with all that is attached of
// its group, unless it is written already.
func (t *toolEditor) attach(i int) {
	g := t.request.Tools[i].group
	if _, open := t.byGroup[g]; !open {
		return
	}
	if t.request.elements[g].inner.empty() {
		t.out.add(t.tool(i))
		return
	}
	t.out.add(t.group(g, nil))
	delete(t.byGroup, g)
}

// group returns a group of tools with those that head holds and the attached
// ones of it.
func (t *toolEditor) group(g int, head list) []byte {
	e, body := &t.request.elements[g], t.request.Body
	for _, i := range t.byGroup[g] {
		head.add(t.tool(i))
	}
	return slices.Concat(body[e.at.start:e.inner.start], head.json(), body[e.inner.end:e.at.end])
}

// tool returns a tool as it is sent: as it came, but for its cache breakpoint,
// which a deferred one must not have, and the mark of one that is deferred.
func (t *toolEditor) tool(i int) []byte {
	tool, body := &t.request.Tools[i], t.request.Body
	text := tool.at.in(body)
	if tool.Marked && t.edit.Managed[i] {
		text = slices.Concat(body[tool.at.start:tool.mark.start], body[tool.mark.end:tool.at.end])
	}
	switch {
	case i == t.last:
		return slices.Concat(text[:len(text)-1], []byte(","), t.mark, []byte("}"))
	case t.deferred[i]:
		return slices.Concat(text[:len(text)-1], []byte(`,"defer_loading":true}`))
	}
	return text
}

// declarations returns the added tools in the request's format.
func (t *toolEditor) declarations() list {
	var all list
	for i := range t.edit.Added {
		all.add(declare(t.request.Format, &t.edit.Added[i]))
	}
	return all
}

// declare writes a declaration in a format. It cannot fail: a Declaration is
// made by Winnow itself.
func declare(format Format, d *Declaration) []byte {
	name, description := quote(d.Name), quote(d.Description)
	switch format {
	case Chat:
		return slices.Concat([]byte(`{"type":"function","function":{"name":`), name, []byte(`,"description":`), description,
			[]byte(`,"parameters":`), d.Schema, []byte(`}}`))
	case Responses:
		return slices.Concat([]byte(`{"type":"function","name":`), name, []byte(`,"description":`), description,
			[]byte(`,"strict":false,"parameters":`), d.Schema, []byte(`}`))
	case Messages:
		return slices.Concat([]byte(`{"name":`), name, []byte(`,"description":`), description,
			[]byte(`,"input_schema":`), d.Schema, []byte(`}`))
	default:
		return slices.Concat([]byte(`{"name":`), name, []byte(`,"description":`), description,
			[]byte(`,"parametersJsonSchema":`), d.Schema, []byte(`}`))
	}
}

// quote returns a text as a JSON string.
func quote(text string) []byte {
	quoted, _ := json.Marshal(text) // a string is always written
	return quoted
}

// list is a JSON array that is put together of texts.
type list [][]byte

func (l *list) add(texts ...[]byte) { *l = append(*l, texts...) }

func (l list) json() []byte {
	return slices.Concat([]byte("["), bytes.Join(l, []byte(",")), []byte("]"))
}
