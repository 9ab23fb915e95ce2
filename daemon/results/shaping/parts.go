package shaping

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"unicode/utf8"
)

// part is a text of a result that costs context.
type part struct {
	// block is the index of its block, -1 for the structured content.
	block int
	text  string
	// offset is where it begins in the document, in characters.
	offset int
	// set returns the block with another text; nil for a part that can only be
	// left out whole.
	set func(text string) json.RawMessage
}

// parts returns the parts of a result: the texts of its text blocks and
// embedded resources, its links as they are written, and the structured
// content. Images and other data cost context too, but there is no part of them
// that says something.
func (r Result) parts() []part {
	var all []part
	offset := 0
	for i, raw := range r.Content {
		if p, ok := partOf(raw); ok {
			p.block, p.offset = i, offset
			offset += utf8.RuneCountInString(p.text) + 1
			all = append(all, p)
		}
	}
	if len(r.Structured) > 0 {
		all = append(all, part{block: -1, text: cmp.Or(compact(r.Structured), string(r.Structured)), offset: offset})
	}
	return all
}

// repeats reports whether the last of the parts, the structured content, says
// what one of the texts says, as the specification asks of servers.
func repeats(parts []part) bool {
	last := parts[len(parts)-1]
	if last.block >= 0 {
		return false
	}
	return slices.ContainsFunc(parts[:len(parts)-1], func(p part) bool {
		return len(p.text) >= len(last.text) && compact([]byte(p.text)) == last.text
	})
}

// compact returns JSON without blanks; empty for what is none.
func compact(raw []byte) string {
	var b bytes.Buffer
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '{' && raw[0] != '[' || json.Compact(&b, raw) != nil {
		return ""
	}
	return b.String()
}

// partOf returns the part that a block is; false for images and other data.
func partOf(raw json.RawMessage) (part, bool) {
	var b struct {
		Type     string  `json:"type"`
		Text     *string `json:"text"`
		Resource struct {
			Text *string `json:"text"`
		} `json:"resource"`
	}
	if json.Unmarshal(raw, &b) != nil {
		return part{}, false
	}
	switch {
	case b.Type == "text" && b.Text != nil:
		return part{text: *b.Text, set: func(text string) json.RawMessage { return withMember(raw, "text", quote(text)) }}, true
	case b.Type == "resource" && b.Resource.Text != nil:
		return part{text: *b.Resource.Text, set: func(text string) json.RawMessage {
			var members map[string]json.RawMessage
			if json.Unmarshal(raw, &members) != nil {
				return raw
			}
			return withMember(raw, "resource", withMember(members["resource"], "text", quote(text)))
		}}, true
	case b.Type == "resource_link":
		return part{text: string(raw)}, true
	}
	return part{}, false
}

// withMember returns an object with another value of a member.
func withMember(raw json.RawMessage, name string, value json.RawMessage) json.RawMessage {
	members := map[string]json.RawMessage{}
	if json.Unmarshal(raw, &members) != nil {
		return raw
	}
	members[name] = value
	// A map of valid JSON always encodes.
	encoded, err := json.Marshal(members)
	if err != nil {
		return raw
	}
	return encoded
}

// joined returns the result with neighbouring text blocks in one, where there
// are too many to show each. The document stays the same.
func (r Result) joined() Result {
	if len(r.Content) <= maxParts {
		return r
	}
	out := Result{Structured: r.Structured}
	var run []byte
	texts := 0
	flush := func() {
		if texts > 0 {
			out.Content = append(out.Content, json.RawMessage(`{"type":"text","text":`+string(quote(string(run)))+`}`))
		}
		run, texts = nil, 0
	}
	for _, raw := range r.Content {
		var b struct{ Type, Text string }
		if json.Unmarshal(raw, &b) != nil || b.Type != "text" {
			flush()
			out.Content = append(out.Content, raw)
			continue
		}
		if texts > 0 {
			run = append(run, '\n')
		}
		run = append(run, b.Text...)
		texts++
	}
	flush()
	return out
}

// length returns the characters of all parts.
func (r Result) length() int {
	n := 0
	for _, p := range r.parts() {
		n += utf8.RuneCountInString(p.text)
	}
	return n
}

// bytes returns the size of a result on the wire.
func (r Result) bytes() int {
	n := len(r.Structured)
	for _, raw := range r.Content {
		n += len(raw) + len(",")
	}
	return n
}
