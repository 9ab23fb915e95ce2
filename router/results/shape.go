package results

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// Kind is how a result was cut.
type Kind string

// The values of [Kind].
const (
	// Text keeps its head and its tail.
	Text Kind = "text"
	// Array keeps its leading items.
	Array Kind = "array"
	// JSON lost members, or items of arrays within it.
	JSON Kind = "json"
)

// Reader says how a model reads on: the call that returns a part of the kept
// result. It is shown in notices, so it must be a call that the model can
// make.
type Reader func(arguments string) string

// Shaped is a result that fits.
type Shaped struct {
	// Content are the result's blocks in their order; those that were not cut
	// are the very bytes that came.
	Content []json.RawMessage
	// Kind is how the first block that was cut was cut.
	Kind Kind
	// Omitted is how many characters were left out.
	Omitted int
}

// block is a content block of a tool's result, as far as it matters here.
type block struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// Document returns the text of a result: that of its text blocks, with a line
// feed between two. It is what a handle stands for.
func Document(content []json.RawMessage) string {
	var document []byte
	first := true
	for _, raw := range content {
		b, ok := textOf(raw)
		if !ok {
			continue
		}
		if !first {
			document = append(document, '\n')
		}
		document, first = append(document, b...), false
	}
	return string(document)
}

// Fits reports whether the text of a result has at most limit characters. A
// limit of 0 is none.
func Fits(content []json.RawMessage, limit int) bool {
	if limit <= 0 {
		return true
	}
	return length(content) <= limit
}

func length(content []json.RawMessage) int {
	n := 0
	for _, raw := range content {
		if text, ok := textOf(raw); ok {
			n += utf8.RuneCountInString(text)
		}
	}
	return n
}

func textOf(raw json.RawMessage) (text string, ok bool) {
	var b block
	if json.Unmarshal(raw, &b) != nil || b.Type != "text" {
		return "", false
	}
	return b.Text, true
}

// Shape cuts the text of a result to about limit characters; the notices come
// on top of it. Short blocks stay whole, and the long ones share what these
// leave. read says how to read the rest of [Document].
func Shape(content []json.RawMessage, limit int, read Reader) Shaped {
	shaped := Shaped{Content: make([]json.RawMessage, len(content))}
	shares := shareOut(content, limit)
	offset := 0
	for i, raw := range content {
		shaped.Content[i] = raw
		text, ok := textOf(raw)
		if !ok {
			continue
		}
		size := utf8.RuneCountInString(text)
		if size > shares[i] {
			c := cutBlock(text, shares[i], offset, read)
			if c.omitted > 0 || c.text != text {
				shaped.Content[i] = withText(raw, c.text)
			}
			if shaped.Kind == "" {
				shaped.Kind = c.kind
			}
			shaped.Omitted += c.omitted
		}
		offset += size + 1
	}
	return shaped
}

// shareOut divides limit among the text blocks: those that need less than
// their equal part leave the rest to the others.
func shareOut(content []json.RawMessage, limit int) []int {
	needs := make([]int, len(content))
	for i, raw := range content {
		if text, ok := textOf(raw); ok {
			needs[i] = utf8.RuneCountInString(text)
		}
	}
	return fairShares(needs, limit)
}

// cutting is one text that was cut.
type cutting struct {
	text    string
	kind    Kind
	omitted int
}

// cutBlock cuts one text whose document begins at offset.
func cutBlock(text string, limit, offset int, read Reader) cutting {
	if c, ok := cutJSON(text, limit, read); ok {
		return c
	}
	return cutText(text, limit, offset, read)
}

// cutText keeps two thirds of limit from the head of a text and one third from
// its tail: what a tool says comes first, and what went wrong comes last.
func cutText(text string, limit, offset int, read Reader) cutting {
	runes := []rune(text)
	head := limit * 2 / 3
	tail := limit - head
	omitted := len(runes) - head - tail
	notice := fmt.Sprintf("\n[Winnow left out %d of %d characters here. Read them: %s]\n",
		omitted, len(runes), read(fmt.Sprintf(`"offset":%d`, offset+head)))
	return cutting{
		text:    string(runes[:head]) + notice + string(runes[len(runes)-tail:]),
		kind:    Text,
		omitted: omitted,
	}
}

// withText returns a text block with another text, its other members kept.
func withText(raw json.RawMessage, text string) json.RawMessage {
	members := map[string]json.RawMessage{}
	if json.Unmarshal(raw, &members) != nil {
		return raw
	}
	members["text"] = quote(text)
	// A map of valid JSON always encodes.
	encoded, err := json.Marshal(members)
	if err != nil {
		return raw
	}
	return encoded
}

func quote(text string) json.RawMessage {
	// A string always encodes.
	encoded, err := json.Marshal(text)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return encoded
}
