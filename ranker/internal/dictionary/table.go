package dictionary

import (
	_ "embed" // the table
	"encoding/binary"
	"sort"
	"sync"
)

//go:embed words.table
var compiled string

// The table is a row of sections, each a sorted list of records: the grammar,
// the English words, and the forms of each language in the order of [Languages].
// A section is
//
//	u32  number of records, n
//	u32  where each record ends, n times, from the end of these
//	     the records
//
// with numbers in little-endian order. A record of the grammar is the word, a
// zero byte, and two masks of two bytes each, see evidence; one of the English
// words is the word; one of the forms is the key, a zero byte, a byte that is 1
// when English has the same word, and the numbers of the English words that it
// may mean, two bytes each, the likeliest first.

// section is one sorted list of records.
type section struct {
	ends, records string
}

// openSection reads the section that s starts with and returns the rest.
func openSection(s string) (section, string) {
	n := int(number(s, 4))
	out := section{ends: s[4 : 4+4*n]}
	s = s[4+4*n:]
	size := 0
	if n > 0 {
		size = int(number(out.ends[4*n-4:], 4))
	}
	out.records = s[:size]
	return out, s[size:]
}

// number reads a little-endian number of two or four bytes.
func number(s string, size int) uint32 {
	var b [4]byte
	copy(b[:], s[:size])
	return binary.LittleEndian.Uint32(b[:])
}

func (s section) len() int { return len(s.ends) / 4 }

func (s section) record(i int) string {
	from := uint32(0)
	if i > 0 {
		from = number(s.ends[4*i-4:], 4)
	}
	return s.records[from:number(s.ends[4*i:], 4)]
}

// value returns what follows the key and its zero byte; ok is false if no record has the
// key.
func (s section) value(key string) (value string, ok bool) {
	i := sort.Search(s.len(), func(i int) bool {
		r := s.record(i)
		return len(r) > len(key) && r[:len(key)] == key && r[len(key)] == 0 || r > key
	})
	if i == s.len() {
		return "", false
	}
	r := s.record(i)
	if len(r) <= len(key) || r[:len(key)] != key || r[len(key)] != 0 {
		return "", false
	}
	return r[len(key)+1:], true
}

// tables is the opened table.
type tables struct {
	grammar, english section
	forms            [languages]section
	// evidence holds the grammar by word.
	evidence map[string]evidence
}

// evidence holds the languages in which a word is grammatical, one bit for each, English
// after those of [Languages], and the languages that it indicates.
type evidence struct{ grammar, tells uint16 }

// open reads the table's structure, once.
var open = sync.OnceValue(func() *tables {
	var t tables
	rest := compiled
	t.grammar, rest = openSection(rest)
	t.english, rest = openSection(rest)
	for l := range t.forms {
		t.forms[l], rest = openSection(rest)
	}
	t.evidence = make(map[string]evidence, t.grammar.len())
	for i := range t.grammar.len() {
		r := t.grammar.record(i)
		n := len(r) - 4
		t.evidence[r[:n-1]] = evidence{uint16(number(r[n:], 2)), uint16(number(r[n+2:], 2))}
	}
	return &t
})

// entry is what a form may mean.
type entry struct {
	words   string // numbers of English words
	english bool   // English has the same word
}

func (t *tables) find(language int, key string) (entry, bool) {
	value, ok := t.forms[language].value(key)
	if !ok {
		return entry{}, false
	}
	return entry{words: value[1:], english: value[0] == 1}, true
}

// isEnglish reports whether a folded word is one of the English words.
func (t *tables) isEnglish(word string) bool {
	i := sort.Search(t.english.len(), func(i int) bool { return t.english.record(i) >= word })
	return i < t.english.len() && t.english.record(i) == word
}

// each calls yield with the English words that an entry may mean.
func (t *tables) each(e entry, yield func(word string)) {
	for i := 0; i < len(e.words); i += 2 {
		yield(t.english.record(int(number(e.words[i:], 2))))
	}
}
