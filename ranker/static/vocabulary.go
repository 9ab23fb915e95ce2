package static

import (
	"fmt"
	"strings"
)

// continuation marks a vocabulary entry that continues a word.
const continuation = "##"

// vocabulary maps WordPiece tokens to rows. Tokens that start a word and those
// that continue one live in maps of their own, so that a lookup needs no
// prefix glued to its key.
type vocabulary struct {
	starts, continues map[string]int32
	// longest is the length in bytes of the longest token: no lookup tries more.
	longest int
	unknown int32
}

// newVocabulary indexes tokens by row.
func newVocabulary(tokens []string, rows, unknown int) (vocabulary, error) {
	if len(tokens) != rows {
		return vocabulary{}, fmt.Errorf("%d tokens for %d rows", len(tokens), rows)
	}
	v := vocabulary{
		starts:    make(map[string]int32, rows),
		continues: make(map[string]int32, rows/4),
		unknown:   int32(unknown),
	}
	for row, token := range tokens {
		index := v.starts
		if rest, ok := strings.CutPrefix(token, continuation); ok && rest != "" {
			index, token = v.continues, rest
		}
		if _, ok := index[token]; ok {
			return vocabulary{}, fmt.Errorf("token %q occurs twice", tokens[row])
		}
		index[token] = int32(row)
		v.longest = max(v.longest, len(token))
	}
	return v, nil
}

// longestPrefix finds the longest entry of index that word starts with; the length is 0
// if there is none.
func (v *vocabulary) longestPrefix(index map[string]int32, word []byte) (id int32, length int) {
	for length = min(len(word), v.longest); length > 0; length-- {
		if id, ok := index[string(word[:length])]; ok {
			return id, length
		}
	}
	return 0, 0
}
