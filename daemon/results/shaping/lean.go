package shaping

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
)

// Lean removes redundancy from a result that fits. If plain is false, JSON in a text
// loses its whitespace. If alone is true, because the client has no schema, structured
// content that repeats the text is removed. Blocks without savings are byte for byte the
// original.
func (r Result) Lean(plain, alone bool) Result {
	parts := r.parts()
	repeated := len(r.Structured) > 0 && (len(parts) == 0 || parts[len(parts)-1].block >= 0)
	if repeated && alone {
		r.Structured = nil
	}
	if plain || repeated && r.quotes(parts) {
		return r
	}
	r.Content = slices.Clone(r.Content)
	for _, p := range parts {
		if p.block < 0 || !p.data {
			continue
		}
		if text := compact([]byte(p.text)); text != "" && len(text) < len(p.text) {
			r.Content[p.block] = p.set(text)
		}
	}
	return r
}

// quotes reports whether structured content contains the text of a part as a string. Then
// the text is a document, such as a file, and its whitespace matters.
func (r Result) quotes(parts []part) bool {
	var members map[string]any
	_ = json.Unmarshal(r.Structured, &members) // anything but an object quotes nothing
	for _, value := range members {
		if text, ok := value.(string); ok && slices.ContainsFunc(parts, func(p part) bool { return p.text == text }) {
			return true
		}
	}
	return false
}

// repeats reports whether the structured content repeats the texts, as the specification
// requires of servers: the same JSON, the text as a string, or either as its only member.
func (r Result) repeats(parts []part) bool {
	if len(parts) == 0 {
		return false
	}
	structured, ok := decode(r.Structured)
	if !ok {
		return false
	}
	object, ok := structured.(map[string]any)
	if ok && says(structured, parts) {
		return true
	}
	if len(object) != 1 {
		return false
	}
	for _, value := range object {
		if says(value, parts) {
			return true
		}
	}
	return false
}

// Unrepeated removes structured content whose only member is the list of the result's own
// blocks: the base64 of an image would be read as text. If promised is set, the client
// has a schema and keeps it. It parses the structured content: call it once per result,
// before [Fits].
func (r Result) Unrepeated(promised bool) Result {
	size := 0
	for _, raw := range r.Content {
		size += len(raw)
	}
	if promised || size == 0 || len(r.Structured) < size/2 {
		return r
	}
	var object map[string][]any
	dec := json.NewDecoder(bytes.NewReader(r.Structured))
	dec.UseNumber()
	if dec.Decode(&object) != nil || len(object) != 1 {
		return r
	}
	for _, list := range object {
		if len(list) != len(r.Content) {
			return r
		}
		for i, raw := range r.Content {
			if block, ok := decode(raw); !ok || !reflect.DeepEqual(block, list[i]) {
				return r
			}
		}
	}
	r.Structured = nil
	return r
}

// says reports whether a value repeats the only text, or is a list that repeats each
// text.
func says(value any, parts []part) bool {
	if list, ok := value.([]any); ok && len(list) == len(parts) {
		each := true
		for i := 0; each && i < len(list); i++ {
			each = same(list[i], parts[i].text)
		}
		if each {
			return true
		}
	}
	return len(parts) == 1 && same(value, parts[0].text)
}

// same reports whether a value is the text, or the JSON in it.
func same(value any, text string) bool {
	if s, ok := value.(string); ok && s == text {
		return true
	}
	parsed, ok := decode([]byte(text))
	return ok && reflect.DeepEqual(parsed, value)
}

// decode decodes JSON and keeps the spelling of numbers.
func decode(raw []byte) (value any, ok bool) {
	if !json.Valid(raw) {
		return nil, false
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return value, dec.Decode(&value) == nil
}
