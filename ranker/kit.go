package ranker

import (
	"slices"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// kit is one server's tools, prepared for finding companions.
type kit struct {
	docs  []Document
	tools []kitTool
	// named maps names to tools.
	named map[string]int32
	// namesWith counts, by word, the tools that have it in their names.
	namesWith map[string]int
}

// kitTool is a tool of a kit.
type kitTool struct {
	doc int32
	// words holds the stems of its name's words, without the kit's prefix.
	words []string
	// verb is what it does, nouns what it acts on; see readName. plural reports that it
	// acts on several.
	verb   string
	nouns  []string
	plural bool
	// action holds the kinds of the verbs of its name.
	action action
	// needs holds its required identifiers.
	needs []requiredID
}

// requiredID is a required parameter that holds an identifier.
type requiredID struct {
	parameter string
	// bare reports that the parameter is named like the thing itself.
	bare bool
	// nouns holds the stems of what it identifies.
	nouns []string
}

func newKit(docs []Document, own []int32, l *lexicon) *kit {
	k := &kit{docs: docs, tools: make([]kitTool, 0, len(own)), named: make(map[string]int32, len(own))}
	r := kitReader{lexicon: l}
	for _, doc := range own {
		k.tools = append(k.tools, kitTool{doc: doc, words: r.stems(docs[doc].Name)})
		k.named[docs[doc].Name] = doc
	}
	k.cutPrefix()
	k.namesWith = make(map[string]int, len(own))
	for i := range k.tools {
		words := k.tools[i].words
		for j, word := range words {
			if !slices.Contains(words[:j], word) {
				k.namesWith[word]++
			}
		}
	}
	nounsFirst, server := k.nounsFirst(), []string(nil)
	if len(own) > 0 {
		server = r.stems(docs[own[0]].Server)
	}
	for i := range k.tools {
		t := &k.tools[i]
		r.readName(t)
		eachAction(docs[t.doc].Name, &r.tokenizer, func(kind action, uses use) {
			if uses&inName != 0 {
				t.action |= kind
			}
		})
		if len(t.nouns) == 1 && slices.Contains(server, t.nouns[0]) {
			t.nouns = nil // "drive_search" of a server drive does not say what it searches
		}
		if nounsFirst {
			r.readList(t, docs[t.doc].Name)
		}
		t.plural = len(t.nouns) > 0 && r.hasPlural(docs[t.doc].Name, t.nouns[len(t.nouns)-1])
		r.readNeeds(t, &docs[t.doc])
	}
	return k
}

// kitReader reads identifiers. The lists that it returns share memory; do not append to
// them.
type kitReader struct {
	lexicon   *lexicon
	tokenizer text.Tokenizer
	words     []string
	needs     []requiredID
}

// stem returns the stem of a folded word.
func (r *kitReader) stem(word []byte) string {
	if id, ok := r.lexicon.surfaces[string(word)]; ok && id != noTerm {
		return r.lexicon.texts[id]
	}
	return text.Stem(string(word))
}

// since returns the words read from index from on.
func (r *kitReader) since(from int) []string { return r.words[from:len(r.words):len(r.words)] }

// cutPrefix removes the first word of the names if most share it.
func (k *kit) cutPrefix() {
	counts := map[string]int{}
	for _, t := range k.tools {
		if len(t.words) > 1 {
			counts[t.words[0]]++
		}
	}
	for i := range k.tools {
		t := &k.tools[i]
		if len(t.words) > 1 && 2*counts[t.words[0]] > len(k.tools) && !isLookupVerb(t.words[0]) {
			t.words = t.words[1:]
		}
	}
}

// nounsFirst reports whether the names put the noun first, such as "deployment_list":
// several end with a lookup verb, and more than begin with one.
func (k *kit) nounsFirst() bool {
	first, last := 0, 0
	for _, t := range k.tools {
		switch n := len(t.words); {
		case n < 2:
		case isLookupVerb(t.words[0]):
			first++
		case isLookupVerb(t.words[n-1]):
			last++
		}
	}
	return last > 2 && last > first
}

// maxStems is the most words read of an identifier.
const maxStems = 16

// stems returns the stems of an identifier's words.
func (r *kitReader) stems(identifier string) []string {
	from := len(r.words)
	r.tokenizer.Each(identifier, func(word []byte, form text.Form) {
		if form != text.Whole && len(r.words)-from < maxStems {
			r.words = append(r.words, r.stem(word))
		}
	})
	return r.since(from)
}

// readName splits a name into its verb, which is first or last, and its nouns, up to a
// word that begins a qualification: "get issue using key".
func (r *kitReader) readName(t *kitTool) {
	words := t.words
	switch n := len(words); {
	case n > 1 && isLookupVerb(words[n-1]) && !isLookupVerb(words[0]):
		t.verb, words = words[n-1], words[:n-1]
	case n > 1, n == 1 && isLookupVerb(words[0]):
		t.verb, words = words[0], words[1:]
	}
	for len(words) > 1 && isLookupVerb(words[0]) { // as in "GET /search/movie"
		t.verb, words = words[0], words[1:]
	}
	from := len(r.words)
	for _, word := range words {
		if len(r.words) > from && isPreposition(word) {
			break
		}
		if word != "all" && word != "my" {
			r.words = append(r.words, word)
		}
	}
	t.nouns = r.since(from)
}

func isPreposition(stem string) bool {
	switch stem {
	case "use", "by", "from", "in", "for", "with", "of", "to", "and":
		return true
	}
	return false
}

// readList treats a name without a verb that ends in a plural, such as
// "project_environments", as a tool that lists those things.
func (r *kitReader) readList(t *kitTool, name string) {
	if len(t.words) > 1 && !isLookupVerb(t.verb) && isPlural(name) {
		t.verb, t.nouns = "list", t.words
	}
}

// hasPlural reports whether a name contains the plural of a noun, given by its stem.
func (r *kitReader) hasPlural(name, noun string) bool {
	found := false
	r.tokenizer.Each(name, func(word []byte, form text.Form) {
		found = found || form != text.Whole && isPlural(word) && r.stem(word) == noun
	})
	return found
}

// isLookupVerb reports whether a stem is a verb of finding.
func isLookupVerb(stem string) bool {
	switch stem {
	case "list", "search", "find", "get", "queri", "lookup", "brows", "ls", "fetch", "show", "resolv", "retriev":
		return true
	}
	return false
}

// maxNeeds is the most required identifiers of a tool.
const maxNeeds = 8

// readNeeds collects the required parameters of d that hold identifiers, at most
// maxNeeds; all parameters are looked at if none is required and t looks nothing up.
// These are names with a noun and an ending such as teamId, issue_key or
// deploymentSelector; id alone, which stands for the nouns of the tool's name; and a
// plain name such as vault, unless it is plural, is the noun of the tool's name, or is
// the name of something that users write, see [isContent].
func (r *kitReader) readNeeds(t *kitTool, d *Document) {
	from := len(r.needs)
	unsaid := !isLookupVerb(t.verb) && !slices.ContainsFunc(d.Parameters, func(p Parameter) bool { return p.Required })
	for i := range d.Parameters {
		p := &d.Parameters[i]
		if !p.Required && !unsaid || len(r.needs)-from == maxNeeds {
			continue
		}
		words := r.stems(p.Name)
		n := len(words)
		switch {
		case n == 0:
		case n > 1 && isIdentifierWord(words[n-1]):
			r.needs = append(r.needs, requiredID{p.Name, false, words[:n-1]})
		case n == 1 && isIdentifierWord(words[0]):
			r.needs = append(r.needs, requiredID{p.Name, false, t.nouns})
		case !isContent(words[n-1]) && !slices.Equal(words, t.nouns) && !isPlural(p.Name):
			r.needs = append(r.needs, requiredID{p.Name, true, words})
		}
	}
	t.needs = r.needs[from:len(r.needs):len(r.needs)]
}

// isPlural reports whether a name ends like a plural.
func isPlural[T string | []byte](name T) bool {
	n := len(name)
	return n > 0 && name[n-1] == 's' && (n == 1 || name[n-2] != 's')
}

func isIdentifierWord(stem string) bool {
	switch stem {
	case "id", "ids", "key", "slug", "uuid", "guid", "identifi", "selector", "gid", "uid", "iid", "sid", "arn", "urn", "ref", "handl":
		return true
	}
	return false
}

// isContent reports whether a parameter of that name holds what a person writes, rather
// than what a tool lists.
func isContent(stem string) bool {
	switch stem {
	case "messag", "queri", "text", "content", "bodi", "comment", "titl", "name", "path", "url", "file", "data",
		"descript", "imag", "email", "input", "valu", "prompt", "code", "type", "format", "date", "time", "paramet",
		"param", "option", "filter", "limit", "size", "command", "script", "sql", "action", "event", "note":
		return true
	}
	return false
}
