package main

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/winnow-mcp/winnow/ranker/internal/dictionary"
)

// maxMeanings is the most English words of a form, the most likely ones.
const maxMeanings = 3

// compile returns the table of word lists: English's, and those of the other languages in
// their order. Package dictionary describes the format.
func compile(english *source, others []*source) []byte {
	numbers := numberWords(others)
	out := appendSection(nil, compileGrammar(english, others))
	out = appendSection(out, slices.Sorted(maps.Keys(numbers)))
	for i, s := range others {
		out = appendSection(out, compileForms(s, &dictionary.Languages[i], numbers))
	}
	return out
}

// numberWords numbers the English words of all lists by their order.
func numberWords(lists []*source) map[string]int {
	numbers := map[string]int{}
	for _, s := range lists {
		for _, l := range s.lines {
			numbers[l.english] = 0
		}
	}
	for i, word := range slices.Sorted(maps.Keys(numbers)) {
		numbers[word] = i
	}
	return numbers
}

// compileGrammar returns the records of the grammatical words. A word that English has
// too, or that is listed as shared, indicates no language.
func compileGrammar(english *source, others []*source) []string {
	grammar, tells := map[string]uint16{}, map[string]uint16{}
	for i, s := range others {
		for _, word := range s.grammar {
			grammar[dictionary.Key(word)] |= 1 << i
			tells[dictionary.Key(word)] |= 1 << i
		}
	}
	for _, l := range english.lines { // the shared words
		for _, word := range l.forms {
			tells[dictionary.Key(word)] = 0
		}
	}
	for _, word := range english.grammar {
		key := dictionary.Key(word)
		grammar[key] |= 1 << len(others)
		tells[key] = 1 << len(others)
	}
	var records []string
	for word := range tells {
		record := append([]byte(word), 0)
		record = binary.LittleEndian.AppendUint16(record, grammar[word])
		record = binary.LittleEndian.AppendUint16(record, tells[word])
		records = append(records, string(record))
	}
	slices.Sort(records)
	return records
}

// compileForms returns the records of a language's forms and of their stems.
func compileForms(s *source, language *dictionary.Language, numbers map[string]int) []string {
	likely := map[string]map[string]float64{} // key -> English word -> how likely
	add := func(key, word string, value float64) {
		if key == "" {
			return
		}
		if likely[key] == nil {
			likely[key] = map[string]float64{}
		}
		likely[key][word] += value
	}
	for _, l := range s.lines {
		for place, form := range l.forms {
			value := 1 / float64(1+place)
			add(dictionary.Key(form), l.english, value)
			add(language.StemKey(form), l.english, value)
		}
	}
	var records []string
	for key, words := range likely {
		record := append([]byte(key), 0, 0)
		if _, same := numbers[key]; same {
			record[len(record)-1] = 1
		}
		for _, word := range likeliest(words) {
			record = binary.LittleEndian.AppendUint16(record, uint16(numbers[word]))
		}
		records = append(records, string(record))
	}
	slices.Sort(records)
	return records
}

// likeliest returns the maxMeanings most likely words, in that order.
func likeliest(words map[string]float64) []string {
	sorted := slices.SortedFunc(maps.Keys(words), func(a, b string) int {
		return cmp.Or(cmp.Compare(words[b], words[a]), cmp.Compare(a, b))
	})
	return sorted[:min(maxMeanings, len(sorted))]
}

// appendSection appends sorted records.
func appendSection(out []byte, records []string) []byte {
	out = binary.LittleEndian.AppendUint32(out, uint32(len(records)))
	end := 0
	for _, r := range records {
		end += len(r)
		out = binary.LittleEndian.AppendUint32(out, uint32(end))
	}
	for _, r := range records {
		out = append(out, r...)
	}
	return out
}
