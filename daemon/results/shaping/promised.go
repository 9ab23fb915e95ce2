package shaping

import (
	"encoding/json"
	"unicode/utf8"
)

// structured emits the structured content. If the client has no schema, it becomes a
// text, unless the texts repeat it.
func (s *shaper) structured(raw json.RawMessage) {
	own := s.next < len(s.parts)
	switch {
	case len(raw) == 0:
	case s.Valid == nil:
		s.out.Structured = nil
		if own {
			s.parts[s.next].block = len(s.out.Content)
			s.parts[s.next].set = func(text string) json.RawMessage { return textBlock(text) }
			s.block(s.parts[s.next].block, textBlock(s.parts[s.next].text))
		}
	case own:
		if p := s.parts[s.next]; p.size > s.shares[s.next] {
			s.promised(p, s.shares[s.next], true)
		}
	case s.out.Omitted > 0 && s.Chars > 0:
		text := string(raw)
		if c := compact(raw); c != "" {
			text = c
		}
		if utf8.RuneCountInString(text) > s.Chars {
			s.promised(part{text: text}, max(s.Chars-noteRoom, s.Chars/2), false)
		}
	}
}

// promised truncates structured content for which the client has a schema. Strings in it
// are shortened. The note becomes a member if the schema allows it, because clients that
// show the structured content to a model show nothing else. If counts is false, the texts
// repeat it and account for the omission.
func (s *shaper) promised(p part, limit int, counts bool) {
	for _, whole := range []bool{false, true} {
		pr := pruner{read: s.Read, paths: p.paths, offset: p.offset, whole: whole}
		c := pr.cut([]byte(p.text), JSON, limit)
		note := s.note
		if counts {
			note = c.note
		}
		kept := []byte(c.head)
		if utf8.RuneCount(kept) > limit || kept[0] != '{' {
			continue
		}
		noted := appendItem(kept[:len(kept)-1:len(kept)-1], append([]byte(`"_winnow":`), quote(note)...))
		for _, candidate := range [][]byte{append(noted, '}'), kept} {
			if s.Valid(candidate) {
				s.out.Structured = candidate
				if counts {
					s.noteCut(c)
				}
				return
			}
		}
	}
	s.out.Structured, s.out.Invalid = nil, true
	if counts {
		s.leaveOut(p)
	}
}
