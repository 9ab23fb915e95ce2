package shaping

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// part is a text of a result that counts against the limit.
type part struct {
	// block is the index of its block, -1 for structured content.
	block int
	text  string
	// size is its length in characters, with the other members of its block.
	size int
	// offset is its position in the document in characters, from in bytes.
	offset, from int
	// paths: JSONPaths of the document refer to this part.
	paths bool
	// data: the part is the text of a text block, not an embedded resource.
	data bool
	// set returns the block with another text; nil for a part that can only be omitted
	// whole.
	set func(text string) json.RawMessage
}

// maxFrame bounds the characters of a block's members besides its text. A block with more
// is shown as JSON.
const maxFrame = 1000

// parts returns the parts of a result: the texts of text blocks and embedded resources,
// other blocks except images and audio as JSON, and the structured content unless it
// repeats the texts.
func (r Result) parts() []part {
	var all []part
	offset, from := 0, 0
	add := func(p part) {
		p.offset, p.from = offset, from
		offset += utf8.RuneCountInString(p.text) + 1
		from += len(p.text) + 1
		all = append(all, p)
	}
	for i, raw := range r.Content {
		if media(raw) > 0 {
			continue
		}
		p := partOf(raw)
		p.block = i
		add(p)
	}
	if len(r.Structured) > 0 && !r.repeats(all) {
		text := compact(r.Structured)
		if text == "" {
			text = string(r.Structured)
		}
		add(part{block: -1, text: text, size: utf8.RuneCountInString(text)})
	}
	if i := addressed(all); i >= 0 {
		all[i].paths = true
	}
	return all
}

// addressed returns the index of the part for paths: the longest text that is JSON, or
// else the structured content; -1 for none.
func addressed(parts []part) int {
	found := -1
	for i, p := range parts {
		switch {
		case found >= 0 && len(p.text) <= len(parts[found].text), p.block >= 0 && p.set == nil:
		case p.block < 0 && found >= 0:
		case isJSON(p.text):
			found = i
		}
	}
	return found
}

// isJSON reports whether a text is a JSON array or object.
func isJSON(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && (text[0] == '{' || text[0] == '[') && json.Valid([]byte(text))
}

// compact returns a JSON array or object without whitespace; "" for anything else.
func compact(raw []byte) string {
	var b bytes.Buffer
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '{' && raw[0] != '[' || json.Compact(&b, raw) != nil {
		return ""
	}
	return b.String()
}

// media returns the length of the data in an image or audio block. It returns 0 for other
// blocks, and for blocks whose other members are long.
func media(raw json.RawMessage) int {
	var b struct {
		Type, Data string
		Resource   struct{ MimeType, Blob string }
	}
	if json.Unmarshal(raw, &b) != nil {
		return 0
	}
	data := ""
	switch kind, _, _ := strings.Cut(b.Resource.MimeType, "/"); {
	case b.Type == "image", b.Type == "audio":
		data = b.Data
	case b.Type == "resource" && (kind == "image" || kind == "audio"):
		data = b.Resource.Blob
	}
	if len(raw)-len(data) > maxFrame {
		return 0
	}
	return len(data)
}

// partOf returns the part of a block.
func partOf(raw json.RawMessage) part {
	whole := part{text: string(raw), size: utf8.RuneCount(raw), set: func(text string) json.RawMessage { return textBlock(text) }}
	var block map[string]json.RawMessage
	if json.Unmarshal(raw, &block) != nil {
		return whole
	}
	var kind, text string
	_ = json.Unmarshal(block["type"], &kind) // a block without a kind is shown as JSON
	switch kind {
	case "text":
		if !isText(block["text"], &text) {
			return whole
		}
		p := framed(whole, text, func(text string) json.RawMessage { return withMember(block, "text", quote(text)) }, block)
		p.data = p.text == text
		return p
	case "resource":
		var inner map[string]json.RawMessage
		if json.Unmarshal(block["resource"], &inner) != nil || !isText(inner["text"], &text) {
			return whole
		}
		return framed(whole, text, func(text string) json.RawMessage {
			return withMember(block, "resource", withMember(inner, "text", quote(text)))
		}, block, inner)
	case "resource_link":
		whole.set = nil
	}
	return whole
}

func isText(raw json.RawMessage, text *string) bool {
	return len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, text) == nil
}

// framed returns the part of a block with a text, or the whole block if its other members
// are long.
func framed(whole part, text string, set func(string) json.RawMessage, objects ...map[string]json.RawMessage) part {
	others := 0
	for _, members := range objects {
		for key, value := range members {
			if key != "type" && key != "text" && key != "resource" {
				others += utf8.RuneCountInString(key) + utf8.RuneCount(value)
			}
		}
	}
	if others > maxFrame {
		return whole
	}
	return part{text: text, size: utf8.RuneCountInString(text) + others, set: set}
}

// withMember returns an object with a member replaced.
func withMember(members map[string]json.RawMessage, name string, value json.RawMessage) json.RawMessage {
	changed := make(map[string]json.RawMessage, len(members))
	for key, value := range members {
		changed[key] = value
	}
	changed[name] = value
	// A map of valid JSON always encodes.
	encoded, err := ijson.Encode(changed)
	if err != nil {
		return textBlock("")
	}
	return encoded
}

// textBlock returns a text block.
func textBlock(text string) json.RawMessage {
	return json.RawMessage(`{"type":"text","text":` + string(quote(text)) + `}`)
}

// joined returns the result with adjacent text blocks merged if there are more than
// maxParts blocks. The document stays the same.
func (r Result) joined() Result {
	if len(r.Content) <= maxParts {
		return r
	}
	out := r
	out.Content = nil
	var run []byte
	texts := 0
	flush := func() {
		if texts > 0 {
			out.Content = append(out.Content, textBlock(string(run)))
		}
		run, texts = nil, 0
	}
	for _, raw := range r.Content {
		var b struct{ Type, Text string }
		if p := partOf(raw); json.Unmarshal(raw, &b) != nil || b.Type != "text" || p.text != b.Text {
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

// frame is the size of a text block without its text, which counts if there are many.
const frame = len(`{"type":"text","text":""},`)

// length returns the size of a result in characters, without images and audio.
func (r Result) length() int {
	n := max(0, len(r.Content)-maxParts)*frame + utf8.RuneCount(r.Meta)
	for _, p := range r.parts() {
		n += p.size
	}
	return n
}

// mediaLength returns the characters of data in images and audio.
func (r Result) mediaLength() int {
	n := 0
	for _, raw := range r.Content {
		n += media(raw)
	}
	return n
}

// bytes returns the size of a result on the wire.
func (r Result) bytes() int {
	n := len(r.Structured) + len(r.Meta)
	for _, raw := range r.Content {
		n += len(raw) + len(",")
	}
	return n
}
