package ranker

import (
	"slices"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// minSharing is the fewest tools with a common word in their names, and 1/commonShare
// their least share of the server's tools, at which the word does not distinguish them.
const minSharing, commonShare = 3, 6

// asksWhich reports whether a parameter whose name ends with that stem says what a call
// is about: which kind, which query, or all of it.
func asksWhich(stem string) bool {
	switch stem {
	case "kind", "resourc", "object", "entiti", "collect", "tabl", "record", "document", // of which kind
		"queri", "sql", "jql", "cql", "soql", "graphql", "statement", "filter", "express", "pipelin", // by which query
		"manifest", "yaml", "properti": // all of it
		return true
	}
	return false
}

// genericTools returns the tools of a kit that handle any kind of thing.
func genericTools(k *kit, l *lexicon) []int32 {
	var docs []int32
	r := kitReader{lexicon: l}
	for i := range k.tools {
		if isGeneric(k, &k.tools[i], &r) {
			docs = append(docs, k.tools[i].doc)
		}
	}
	return docs
}

// isGeneric reports whether a tool handles any kind of thing. A parameter says which, and
// its name says only what is done, besides words that its siblings' names share and that
// such parameters have. Tools for one particular thing are not generic.
func isGeneric(k *kit, t *kitTool, r *kitReader) bool {
	asks := false
	for i := range k.docs[t.doc].Parameters {
		words := r.stems(k.docs[t.doc].Parameters[i].Name)
		if n := len(words); n > 1 && words[n-1] == "type" {
			words = words[:n-1]
		}
		asks = asks || len(words) > 0 && asksWhich(words[len(words)-1])
	}
	if !asks || len(t.words) < 2 {
		return asks
	}
	special := false
	r.tokenizer.Each(k.docs[t.doc].Name, func(word []byte, form text.Form) {
		stem := r.stem(word)
		if form == text.Whole || special || !slices.Contains(t.words, stem) {
			return
		}
		special = verbFor(string(word), inName) == 0 && stem != "execut" && !text.IsStop(string(word)) && !isPreposition(stem) && !asksWhich(stem) && !isCommon(k, stem)
	})
	return !special
}

// isCommon reports whether so many names of a kit contain a word that it does not
// distinguish them.
func isCommon(k *kit, stem string) bool {
	with := k.namesWith[stem]
	return with >= minSharing && commonShare*with >= len(k.tools)
}
