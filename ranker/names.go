package ranker

import "github.com/winnow-mcp/winnow/ranker/internal/text"

// nameIndex knows the words of every document's name. It is immutable.
type nameIndex struct {
	// starts holds, for document i, the range starts[i]:starts[i+1] of terms.
	starts []uint32
	terms  []termID
	// rarity is the sum of the idf of each name's terms.
	rarity []float64
}

func newNameIndex(x *index) *nameIndex {
	n := &nameIndex{starts: make([]uint32, 1, len(x.analysed.docs)+1), rarity: make([]float64, len(x.analysed.docs))}
	var tokenizer text.Tokenizer
	doc := 0
	add := func(word []byte, form text.Form) { // one closure for all, not one each
		if id, ok := x.lexicon.find(word); ok && id != noTerm && form != text.Whole {
			n.terms = append(n.terms, id)
			n.rarity[doc] += float64(x.idf[id])
		}
	}
	for doc = range x.analysed.docs {
		tokenizer.Each(x.analysed.docs[doc].Name, add)
		n.starts = append(n.starts, uint32(len(n.terms)))
	}
	return n
}

// coverage is the share of a document's name that the message has or implies,
// by idf: 1 when it has every word, 0 when it has none or when meaning alone
// ranks.
func (v *view) coverage(doc int32) float64 {
	n := v.x.names
	if n.rarity[doc] == 0 || v.meaningShare() == 1 {
		return 0
	}
	had := 0.0
	for _, id := range n.terms[n.starts[doc]:n.starts[doc+1]] {
		if v.query.seen.has(int32(id)) {
			had += float64(v.x.idf[id])
		}
	}
	return had / n.rarity[doc]
}
