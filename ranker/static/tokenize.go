package static

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// maxWord is the longest word looked up, in characters. BERT's reference tokenizer
	// treats longer ones as unknown.
	maxWord = 100
	// maxText bounds the bytes that are read to find maxTokens tokens, so that a megabyte
	// without a space costs no more than a page of text.
	maxText = 32 << 10
)

// tokenizer splits a text as BERT's uncased reference tokenizer does: control
// characters vanish, accents are folded away, letters are lowered, white space
// separates, punctuation and Chinese characters stand alone. Unlike the
// reference it does not treat a literal "[UNK]" or "[MASK]" as special.
//
// It stores all results in arrays, so that one on the stack allocates nothing.
type tokenizer struct {
	vocabulary *vocabulary
	// ids holds the rows of the tokens so far, with room for the pieces of the
	// word that passes maxTokens.
	ids   [maxTokens + maxWord]int32
	count int
	// word is the ASCII word being read, chars its length in characters. strange reports
	// that it is too long or has a character outside ASCII, so it is not in the
	// vocabulary.
	word    [maxWord]byte
	chars   int
	strange bool
}

// read returns the rows of text's first maxTokens tokens; words outside the
// vocabulary give its unknown row. It is called once.
func (t *tokenizer) read(text string) []int32 {
	text = text[:min(len(text), maxText)]
	for i := 0; i < len(text) && t.count < maxTokens; {
		if b := text[i]; b < utf8.RuneSelf {
			t.ascii(b)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		t.wide(r, text[i:i+size])
		i += size
	}
	t.endWord()
	return t.ids[:min(t.count, maxTokens)]
}

// ascii reads one ASCII character.
func (t *tokenizer) ascii(b byte) {
	switch classify(b) {
	case control:
	case letter:
		t.add(b)
	case capital:
		t.add(b + 'a' - 'A')
	case space:
		t.endWord()
	case punctuation:
		t.endWord()
		t.add(b)
		t.endWord()
	}
}

// wide reads one character r outside ASCII, encoded as s.
func (t *tokenizer) wide(r rune, s string) {
	switch {
	case r == utf8.RuneError, unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co):
	case unicode.IsSpace(r):
		t.endWord()
	case isChinese(r):
		t.alone()
	default:
		t.fold(r, s)
	}
}

// fold reads a character in its decomposed form, without its accents. Folding single
// characters is enough: the order of accents, which needs more context, does not matter
// once they are removed.
func (t *tokenizer) fold(r rune, s string) {
	decomposed := norm.NFD.PropertiesString(s).Decomposition()
	if decomposed == nil {
		t.folded(r)
		return
	}
	for len(decomposed) > 0 {
		r, size := utf8.DecodeRune(decomposed)
		t.folded(r)
		decomposed = decomposed[size:]
	}
}

// folded reads one character of a decomposition.
func (t *tokenizer) folded(r rune) {
	switch {
	case r < utf8.RuneSelf:
		t.ascii(byte(r))
	case unicode.Is(unicode.Mn, r):
	case unicode.IsPunct(r):
		t.alone()
	default:
		t.chars++
		t.strange = true
	}
}

// add extends the word by a character.
func (t *tokenizer) add(b byte) {
	if t.chars < maxWord {
		t.word[t.chars] = b
	}
	t.chars++
}

// alone reads a character outside ASCII that is a word of its own.
func (t *tokenizer) alone() {
	t.endWord()
	t.chars, t.strange = 1, true
	t.endWord()
}

// endWord looks the word up and starts a new one.
func (t *tokenizer) endWord() {
	if t.chars == 0 {
		return
	}
	if t.strange || t.chars > maxWord {
		t.emit(t.vocabulary.unknown)
	} else {
		t.split(t.word[:t.chars])
	}
	t.chars, t.strange = 0, false
}

// split emits a word's pieces, each the longest entry that fits, or the
// unknown row when one part of the word fits none.
func (t *tokenizer) split(word []byte) {
	first, index := t.count, t.vocabulary.starts
	for len(word) > 0 {
		id, length := t.vocabulary.longestPrefix(index, word)
		if length == 0 {
			t.count = first
			t.emit(t.vocabulary.unknown)
			return
		}
		t.emit(id)
		word, index = word[length:], t.vocabulary.continues
	}
}

// emit adds a token's row.
func (t *tokenizer) emit(id int32) {
	t.ids[t.count] = id
	t.count++
}
