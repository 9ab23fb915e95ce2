package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Declaration is a tool added by Winnow.
type Declaration struct {
	Name        string
	Description string
	// Schema is a JSON Schema of an object.
	Schema json.RawMessage
}

// Edit describes the tools and messages of an edited request.
type Edit struct {
	// Managed reports for each of [Request.Tools] whether it may be left out. The others
	// stay in place.
	Managed []bool
	// Attached are the positions of the managed tools to send, in order, after all other
	// tools. Tools attached later come last, so that the provider's cache of the earlier
	// ones stays valid.
	Attached []int
	// Added come before the attached tools.
	Added []Declaration
	// Deferred are the positions of managed tools that come last, marked to be loaded
	// when the model searches for them; see [Request.Defers]. The provider's search tool
	// is added if it is missing.
	Deferred []int
	// Inserted are messages to insert, sorted by At.
	Inserted []Insertion
}

// Insertion inserts messages into a conversation.
type Insertion struct {
	// At is the index in [Request.Messages] before which they are inserted; the number of
	// messages means the end.
	At int
	// Messages are in the request's format.
	Messages [][]byte
	// Replace: the message At is removed.
	Replace bool
}

// identity reports whether the edit leaves the tools unchanged.
func (e *Edit) identity() bool {
	managed := 0
	for _, m := range e.Managed {
		if m {
			managed++
		}
	}
	return len(e.Attached) == managed && len(e.Added) == 0 && len(e.Deferred) == 0
}

// Apply returns the edited body. If nothing is removed or added, it returns
// [Request.Body], with the tools in the client's order.
func (q *Request) Apply(e *Edit) []byte {
	var pieces []splice
	bare := false
	if !e.identity() {
		tools := q.editTools(e)
		bare = q.Format != Gemini && string(tools) == "[]" // Google accepts an empty list
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

// toolMembers are the members that providers refuse in a body without tools.
var toolMembers = []string{"tools", "tool_choice", "parallel_tool_calls"}

// withoutMembers returns an object without the named members.
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

// editTools returns the array of tools: unmanaged, added, attached, deferred.
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
		if q.Format == Gemini { // a function must be in a group
			declared = list{fmt.Appendf(nil, `{"functionDeclarations":%s}`, declared.json())}
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
	// byGroup holds the attached tools of each element.
	byGroup map[int][]int
	// deferred is the set of [Edit.Deferred].
	deferred map[int]bool
	// last is the tool that gets the cache breakpoint; -1 for none.
	last int
	mark []byte
	out  list
	// addedPlaced: the added tools were written into a group.
	addedPlaced bool
}

// markAttached moves the cache breakpoints of managed tools to the last attached tool, so
// that it covers the same part of the request as the client's. The number of breakpoints
// does not grow. If none is attached, the last unmanaged tool before gets it.
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
		t.last = -1 // it has its own
	}
}

// stay writes an element that keeps its place because it has an unmanaged tool or no
// tool.
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
	case len(kept) == 0: // all managed: see attach
	default:
		if t.request.Format == Gemini && !t.addedPlaced {
			kept.add(t.declarations()...)
			t.addedPlaced = true
		}
		t.out.add(t.group(g, kept))
		delete(t.byGroup, g)
	}
}

// attach writes the element of an attached tool, with all attached tools of its group,
// unless it was written.
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

// group returns a group of tools: head, then its attached ones.
func (t *toolEditor) group(g int, head list) []byte {
	e, body := &t.request.elements[g], t.request.Body
	for _, i := range t.byGroup[g] {
		head.add(t.tool(i))
	}
	return slices.Concat(body[e.at.start:e.inner.start], head.json(), body[e.inner.end:e.at.end])
}

// tool returns the text of a tool. A managed tool loses its cache breakpoint, which a
// deferred one must not have; a deferred one gets the member defer_loading.
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

// declare encodes a declaration. It cannot fail, because Winnow makes declarations.
func declare(format Format, d *Declaration) []byte {
	form := map[Format]string{
		Chat:      `{"type":"function","function":{"name":%s,"description":%s,"parameters":%s}}`,
		Responses: `{"type":"function","name":%s,"description":%s,"strict":false,"parameters":%s}`,
		Messages:  `{"name":%s,"description":%s,"input_schema":%s}`,
		Gemini:    `{"name":%s,"description":%s,"parametersJsonSchema":%s}`,
	}[format]
	return fmt.Appendf(nil, form, quote(d.Name), quote(d.Description), d.Schema)
}

// quote returns a text as a JSON string.
func quote(text string) []byte {
	quoted, _ := json.Marshal(text) // a string always encodes
	return quoted
}

// list is a JSON array of encoded elements.
type list [][]byte

func (l *list) add(texts ...[]byte) { *l = append(*l, texts...) }

func (l list) json() []byte {
	return slices.Concat([]byte("["), bytes.Join(l, []byte(",")), []byte("]"))
}
