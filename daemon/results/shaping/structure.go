package shaping

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxGaps is how many of the places where something was left out a notice
// names.
const maxGaps = 5

// gap is a place of a JSON value where something was left out.
type gap struct {
	path string // JSONPath
	// shown of total items are kept; total is 0 where the whole value is gone.
	shown, total int
	// size is the number of characters of a value that is gone.
	size int
}

func (g gap) String() string {
	if g.total > 0 {
		return fmt.Sprintf("%s: %d of %d shown", g.path, g.shown, g.total)
	}
	return fmt.Sprintf("%s: %d characters left out", g.path, g.size)
}

// cutJSON cuts a text that is a JSON array or object at its structure; ok is
// false when it is neither.
func cutJSON(text string, limit int, read Reader) (c cutting, ok bool) {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || trimmed[0] != '[' && trimmed[0] != '{' {
		return cutting{}, false
	}
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(trimmed)) != nil {
		return cutting{}, false
	}
	whole := utf8.RuneCount(compact.Bytes())
	kind := JSON
	if trimmed[0] == '[' {
		kind = Array
	}
	if whole <= limit {
		return cutting{head: compact.String(), kind: kind}, true // only blanks are gone
	}
	p := pruner{}
	return p.cut(compact.Bytes(), kind, limit, read), true
}

// cutStructured cuts compact structured content. Texts in it are shortened, and not
// left out: a client may want the members that a schema names. ok is false when
// it is no object.
func cutStructured(text string, limit int, read Reader) (c cutting, ok bool) {
	if text == "" || text[0] != '{' && text[0] != '[' {
		return cutting{}, false
	}
	p := pruner{shorten: true}
	return p.cut([]byte(text), JSON, limit, read), true
}

// cut cuts compact JSON.
func (p *pruner) cut(raw []byte, kind Kind, limit int, read Reader) cutting {
	kept := p.prune(raw, "$", limit)
	if kept == nil {
		kept = empty(raw)
	}
	return cutting{
		head:    string(kept),
		note:    p.notice(kind, read),
		kind:    kind,
		omitted: utf8.RuneCount(raw) - utf8.RuneCount(kept),
	}
}

func empty(raw []byte) []byte {
	if raw[0] == '[' {
		return []byte("[]")
	}
	return []byte("{}")
}

// maxDepth bounds how deep a value is cut: each level is read anew, and a
// server can nest ten thousand of them. What lies deeper goes whole.
const maxDepth = 24

// pruner cuts a JSON value, and notes where.
type pruner struct {
	gaps  []gap
	depth int
	// shorten: strings that are too long keep their beginning.
	shorten bool
}

// prune returns as much of a compact JSON value as fits into limit characters,
// a value of the same kind; nil when nothing does.
func (p *pruner) prune(raw []byte, path string, limit int) []byte {
	size := utf8.RuneCount(raw)
	if size <= limit {
		return raw
	}
	var kept []byte
	p.depth++
	switch {
	case p.depth > maxDepth:
	case raw[0] == '[':
		kept = p.array(raw, path, limit)
	case raw[0] == '{':
		kept = p.object(raw, path, limit)
	case raw[0] == '"' && p.shorten:
		if kept = shortened(raw, limit); kept != nil {
			p.gaps = append(p.gaps, gap{path: path, size: size - utf8.RuneCount(kept)})
		}
	}
	p.depth--
	if kept == nil {
		p.gaps = append(p.gaps, gap{path: path, size: size})
	}
	return kept
}

// shortened returns the beginning of a JSON string; nil when nothing of it fits.
func shortened(raw []byte, limit int) []byte {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return nil
	}
	for keep := limit - len(`"…"`); keep > 0; keep /= 2 {
		// Escapes take more than a character.
		if kept := quote(firstRunes(text, keep) + "…"); utf8.RuneCount(kept) <= limit {
			return kept
		}
	}
	return nil
}

// array keeps the leading items that fit, and where not even the first does,
// what fits of that.
func (p *pruner) array(raw []byte, path string, limit int) []byte {
	items := items(raw)
	kept := []byte{'['}
	room := limit - len("[]")
	shown := 0
	for i, item := range items {
		comma := min(i, 1)
		size := utf8.RuneCount(item) + comma
		if size > room {
			break
		}
		kept, room, shown = appendItem(kept, item), room-size, i+1
	}
	if shown == 0 {
		if len(items) == 0 {
			return nil
		}
		part := p.prune(items[0], path+"[0]", room)
		if part == nil {
			p.gaps = p.gaps[:len(p.gaps)-1] // said once, for the array
			return nil
		}
		kept, shown = appendItem(kept, part), 1
	}
	if shown < len(items) {
		p.gaps = append(p.gaps, gap{path: path, shown: shown, total: len(items)})
	}
	return append(kept, ']')
}

// object keeps every member that is short, and of the long ones what fits
// into their part.
func (p *pruner) object(raw []byte, path string, limit int) []byte {
	members := pairs(raw)
	needs := make([]int, len(members))
	for i, m := range members {
		needs[i] = utf8.RuneCount(m.key) + len(":,") + utf8.RuneCount(m.value)
	}
	shares := fairShares(needs, limit-len("{}"))
	kept := []byte{'{'}
	for i, m := range members {
		frame := utf8.RuneCount(m.key) + len(":,")
		value := p.prune(m.value, path+step(m.key), shares[i]-frame)
		if value != nil {
			kept = appendItem(kept, m.key)
			kept = append(append(kept, ':'), value...)
		}
	}
	if len(kept) == 1 {
		p.gaps = p.gaps[:len(p.gaps)-len(members)] // said once, for the object
		return nil
	}
	return append(kept, '}')
}

func appendItem(list, item []byte) []byte {
	if len(list) > 1 {
		list = append(list, ',')
	}
	return append(list, item...)
}

// step is a member in a JSONPath.
func step(key []byte) string {
	var name string
	if json.Unmarshal(key, &name) != nil || !plainName(name) {
		return "[" + string(key) + "]"
	}
	return "." + name
}

func plainName(name string) bool {
	for i, r := range name {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// notice says what was left out, behind the JSON that is left.
func (p *pruner) notice(kind Kind, read Reader) string {
	gaps := p.gaps
	// The outermost array is what a reader asks about first.
	if last := len(gaps) - 1; kind == Array && last > 0 && gaps[last].path == "$" {
		gaps = append([]gap{gaps[last]}, gaps[:last]...)
	}
	var b strings.Builder
	if kind == Array && len(gaps) > 0 && gaps[0].path == "$" && gaps[0].total > 0 {
		fmt.Fprintf(&b, "[Winnow: %d of %d shown.", gaps[0].shown, gaps[0].total)
		next := read(fmt.Sprintf(`"jsonpath":"$[%d:]"`, gaps[0].shown))
		return fitting(b.String()+others(gaps[1:]), " Read the rest: "+next+"]", b.String())
	}
	first := "$"
	if len(gaps) > 0 {
		first = gaps[0].path
	}
	const begin = "[Winnow left out parts of this JSON"
	next := " Read them: " + read(`"jsonpath":`+string(quote(first))) + "]"
	if utf8.RuneCountInString(next) > noteRoom/2 {
		// A name that long is easier found than asked for.
		next = " Read it: " + read(`"offset":0`) + "]"
	}
	return fitting(begin+":"+others(gaps), next, begin+".")
}

// fitting returns a note with all that it says, or if that is too long, with
// its brief form.
func fitting(long, next, brief string) string {
	if utf8.RuneCountInString(long+next) > noteRoom {
		return brief + next
	}
	return long + next
}

// others lists gaps, the first few.
func others(gaps []gap) string {
	var b strings.Builder
	for i, g := range gaps[:min(len(gaps), maxGaps)] {
		if i > 0 {
			b.WriteByte(';')
		}
		b.WriteString(" " + g.String())
	}
	if more := len(gaps) - maxGaps; more > 0 {
		fmt.Fprintf(&b, "; and %d more", more)
	}
	if b.Len() > 0 {
		b.WriteByte('.')
	}
	return b.String()
}
