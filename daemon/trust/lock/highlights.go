package lock

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// Highlights returns the important differences of two Tool objects, the weightiest kind
// first, sorted within a kind. addresses returns the sentences of a text that address the
// model. It returns nil if a side is missing.
func Highlights(before, after json.RawMessage, addresses func(text string) []string) []protocol.LockHighlight {
	if len(before) == 0 || len(after) == 0 {
		return nil
	}
	was, is := readShown(before), readShown(after)
	var all []protocol.LockHighlight
	add := func(kind protocol.LockHighlightKind, names ...string) {
		for _, name := range names {
			all = append(all, protocol.LockHighlight{Kind: kind, Name: name})
		}
	}
	required := newNames(was.required(), is.required())
	add(protocol.HighlightRequired, required...)
	known := addresses(was.text())
	for _, sentence := range addresses(is.text()) {
		if !slices.Contains(known, sentence) {
			all = append(all, protocol.LockHighlight{Kind: protocol.HighlightAddresses, Text: sentence})
		}
	}
	for _, hint := range hints() {
		if milder(was.Annotations, is.Annotations, hint.name, hint.mild) {
			add(protocol.HighlightMilder, hint.name)
		}
	}
	a, b := was.parameters(), is.parameters()
	add(protocol.HighlightAdded, newNames(append(slices.Sorted(maps.Keys(a)), required...), slices.Sorted(maps.Keys(b)))...)
	add(protocol.HighlightRemoved, newNames(slices.Sorted(maps.Keys(b)), slices.Sorted(maps.Keys(a)))...)
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if old, ok := a[name]; ok && !sameJSON(old, b[name]) {
			add(protocol.HighlightRetyped, name)
		}
	}
	return all
}

// Flags reports whether a difference may be harmful by itself. Then keeping the locked
// content is offered first.
func Flags(h protocol.LockHighlight) bool {
	return h.Kind == protocol.HighlightRequired || h.Kind == protocol.HighlightAddresses || h.Kind == protocol.HighlightMilder
}

// shown holds the parts of a tool or prompt that are compared for people. A part of an
// unexpected type counts as absent and does not affect the others.
type shown struct {
	Title, Description string
	InputSchema        json.RawMessage
	Arguments          []argument
	Annotations        map[string]json.RawMessage
	// misspelt is [object]'s misspelt.
	misspelt []json.RawMessage
}

// argument is an argument of a prompt.
type argument struct {
	name     string
	required bool
	raw      json.RawMessage
}

// readShown decodes a Tool or Prompt object, or instructions, a JSON string, as a
// description.
func readShown(raw json.RawMessage) shown {
	var s shown
	if json.Unmarshal(raw, &s.Description) == nil {
		return s
	}
	o, err := readObject(raw)
	if err != nil {
		return s
	}
	s.Title, s.Description, s.InputSchema = ijson.Text(o.Title), ijson.Text(o.Description), o.InputSchema
	s.Annotations, s.misspelt = members(o.Annotations), o.misspelt
	var arguments []json.RawMessage
	if json.Unmarshal(o.Arguments, &arguments) != nil {
		return s
	}
	for _, raw := range arguments {
		s.Arguments = append(s.Arguments, argument{
			name: ijson.Text(ijson.LastMember(raw, "name")), raw: raw,
			required: string(ijson.LastMember(raw, "required")) == "true",
		})
	}
	return s
}

// members returns the members of an object by exact name; empty for any other value.
// Decoding into a struct would ignore case.
func members(raw json.RawMessage) map[string]json.RawMessage {
	var all map[string]json.RawMessage
	if json.Unmarshal(raw, &all) != nil || all == nil {
		return map[string]json.RawMessage{}
	}
	return all
}

// text returns the title, the description, the descriptions of parameters, and the texts
// of misspelt members.
func (s *shown) text() string {
	text := s.Title + "\n" + s.Description + "\n"
	parameters := s.parameters()
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		text += ijson.Text(ijson.LastMember(parameters[name], "description")) + "\n"
	}
	for _, member := range s.misspelt {
		for _, value := range members(member) {
			text += ijson.Text(value) + "\n"
		}
	}
	return text
}

// required returns the names of required parameters or arguments.
func (s *shown) required() []string {
	var names []string
	if json.Unmarshal(ijson.LastMember(s.InputSchema, "required"), &names) != nil {
		names = nil
	}
	for _, a := range s.Arguments {
		if a.required {
			names = append(names, a.name)
		}
	}
	return names
}

// parameters returns the properties of the schema, or a prompt's arguments.
func (s *shown) parameters() map[string]json.RawMessage {
	all := members(ijson.LastMember(s.InputSchema, "properties"))
	for _, a := range s.Arguments {
		all[a.name] = a.raw
	}
	return all
}

// newNames returns the names of b that are not in a, sorted.
func newNames(a, b []string) []string {
	names := slices.DeleteFunc(slices.Clone(b), func(name string) bool { return slices.Contains(a, name) })
	slices.Sort(names)
	return slices.Compact(names)
}

func sameJSON(a, b json.RawMessage) bool { return bytes.Equal(a, b) || hash(a) == hash(b) }

// sentenceEnd matches the end of a sentence.
var sentenceEnd = regexp.MustCompile(`([.!?]) `)

// Document returns a Tool or Prompt object, or instructions, as a text for a line diff:
// the locked parts in a fixed order, one sentence of prose per line. It returns "" for
// nothing.
func Document(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return sentenceEnd.ReplaceAllString(text, "$1\n") + "\n"
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return string(raw) + "\n"
	}
	names := lockedMembers()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !slices.Contains(names, name) && misspelt(name) {
			names = append(names, name)
		}
	}
	var b bytes.Buffer
	for _, name := range names {
		value, ok := all[name]
		if !ok || string(value) == "null" {
			continue
		}
		b.WriteString(name + ":\n")
		if json.Unmarshal(value, &text) == nil {
			b.WriteString(sentenceEnd.ReplaceAllString(text, "$1\n"))
		} else if json.Indent(&b, sortedKeys(value), "", "  ") != nil {
			b.Write(value)
		}
		b.WriteString("\n\n")
	}
	return b.String()
}

// sortedKeys returns JSON with sorted members, so that their order makes no difference.
func sortedKeys(raw json.RawMessage) json.RawMessage {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return raw
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return raw
	}
	return bytes.TrimSpace(b.Bytes())
}
