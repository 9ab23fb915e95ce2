package shaping

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxGaps bounds the omissions that a note lists.
const maxGaps = 5

// gap is an omission in a JSON value.
type gap struct {
	path string // JSONPath
	// shown of total items, or characters of a string, are kept. total is 0 if the whole
	// value is omitted.
	shown, total int
	// size is the number of omitted characters.
	size int
	// text: the value is a string.
	text bool
}

func (g gap) String() string {
	if g.total > 0 && !g.text {
		return fmt.Sprintf("%s: %d of %d shown", g.path, g.shown, g.total)
	}
	return fmt.Sprintf("%s: %d characters left out", g.path, g.size)
}

// way returns the arguments that read the omitted part.
func (g gap) way() string {
	switch {
	case g.text:
		return fmt.Sprintf(`"jsonpath":%s,"offset":%d`, quote(g.path), g.shown)
	case g.total > 0:
		return `"jsonpath":` + string(quote(fmt.Sprintf("%s[%d:]", g.path, g.shown)))
	}
	return `"jsonpath":` + string(quote(g.path))
}

// cutJSON truncates a text that is a JSON array or object at its structure; ok is false
// for any other text.
func cutJSON(p part, limit int, read Reader) (c cutting, ok bool) {
	text := compact([]byte(p.text))
	if text == "" {
		return cutting{}, false
	}
	kind := JSON
	if text[0] == '[' {
		kind = Array
	}
	if utf8.RuneCountInString(text) <= limit {
		return cutting{head: text, kind: kind}, true // only whitespace was removed
	}
	pr := pruner{read: read, paths: p.paths, offset: p.offset}
	return pr.cut([]byte(text), kind, limit), true
}

// Fragment returns the part of a JSON value at path that fits, with a note on the
// omissions.
func Fragment(raw []byte, path string, limit int, read Reader) Part {
	pr := pruner{read: read, paths: true, root: path}
	c := pr.cut(raw, JSON, limit)
	return Part{Text: c.head, Note: strings.Trim(c.note, "[]")}
}

// cut truncates compact JSON.
func (p *pruner) cut(raw []byte, kind Kind, limit int) cutting {
	kept := p.prune(raw, cmp.Or(p.root, "$"), limit)
	if kept == nil {
		kept = empty(raw)
	}
	return cutting{
		head:    string(kept),
		note:    p.notice(kind),
		kind:    kind,
		omitted: utf8.RuneCount(raw) - utf8.RuneCount(kept),
	}
}

// empty returns the shortest value of the same kind.
func empty(raw []byte) []byte {
	switch raw[0] {
	case '[':
		return []byte("[]")
	case '{':
		return []byte("{}")
	case '"':
		return []byte(`"…"`)
	}
	return raw
}

// maxDepth bounds the nesting that is truncated: each level is parsed again, and a server
// can nest ten thousand. Deeper values are omitted whole.
const maxDepth = 24

// pruner truncates a JSON value, and records the omissions.
type pruner struct {
	gaps  []gap
	depth int
	// read returns how to read on: by paths below root ("$" if empty) if paths is set,
	// otherwise from offset in the document.
	read   Reader
	paths  bool
	root   string
	offset int
	// whole: objects keep all members, whatever the limit, because a schema may require
	// them.
	whole bool
}

// prune returns as much of a compact JSON value as fits into limit characters, as a value
// of the same kind; nil if nothing fits.
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
	case raw[0] == '"':
		kept = p.text(raw, path, limit)
	}
	p.depth--
	if kept == nil && p.whole {
		kept = empty(raw)
	}
	if kept == nil || string(kept) == string(empty(raw)) && len(kept) < len(raw) {
		p.gaps = append(p.gaps, gap{path: path, size: size})
	}
	return kept
}

// minText is the shortest useful part of a string, in characters.
const minText = 8

// text keeps two thirds from the head of a JSON string and one from its tail; nil if no
// useful part fits.
func (p *pruner) text(raw []byte, path string, limit int) []byte {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return nil
	}
	runes := []rune(text)
	const mark = "…[%d characters left out]…"
	frame := len(`""`) + len(mark) + len("123456")
	for keep := limit - frame; keep >= minText; {
		head := keep * 2 / 3
		tail := keep - head
		gone := len(runes) - keep
		if gone <= 0 {
			return nil
		}
		kept := quote(string(runes[:head]) + fmt.Sprintf(mark, gone) + string(runes[len(runes)-tail:]))
		size := utf8.RuneCount(kept)
		if size <= limit {
			p.gaps = append(p.gaps, gap{path: path, shown: head, total: len(runes), size: gone, text: true})
			return kept
		}
		keep = min(keep-1, keep*limit/size) // escapes take more than one character
	}
	return nil
}

// array keeps the leading items that fit; if the first does not fit, the part of it that
// does.
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
		if part == nil || p.whole && string(part) == string(empty(items[0])) {
			p.gaps = p.gaps[:len(p.gaps)-1] // recorded once, for the array
			return nil
		}
		kept, shown = appendItem(kept, part), 1
	}
	if shown < len(items) {
		p.gaps = append(p.gaps, gap{path: path, shown: shown, total: len(items)})
	}
	return append(kept, ']')
}

// object keeps all short members, and of long ones what fits into their share.
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
		p.gaps = p.gaps[:len(p.gaps)-len(members)] // recorded once, for the object
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

// step returns a member as a step of a JSONPath.
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

// notice returns the note after truncated JSON.
func (p *pruner) notice(kind Kind) string {
	gaps := p.gaps
	// List the outermost array first.
	if last := len(gaps) - 1; kind == Array && last > 0 && gaps[last].path == "$" {
		gaps = append([]gap{gaps[last]}, gaps[:last]...)
	}
	var ways []string
	if p.paths {
		for _, g := range gaps[:min(len(gaps), maxGaps)] {
			ways = append(ways, g.way())
		}
	}
	next := p.read.onward(append(ways, fmt.Sprintf(`"offset":%d`, p.offset))...) + "]"
	if kind == Array && len(gaps) > 0 && gaps[0].path == "$" && gaps[0].total > 0 {
		begin := fmt.Sprintf("[Winnow: %d of %d shown.", gaps[0].shown, gaps[0].total)
		return fitting(begin+others(gaps[1:]), next, begin)
	}
	const begin = "[Winnow left out parts of this JSON"
	return fitting(begin+":"+others(gaps), next, begin+".")
}

// fitting returns the long note, or the brief one if it does not fit.
func fitting(long, next, brief string) string {
	if utf8.RuneCountInString(long+next) > noteRoom {
		return brief + next
	}
	return long + next
}

// others formats the first gaps.
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
