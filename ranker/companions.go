package ranker

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// maxCompanions is how many companions a tool may have.
const maxCompanions = 4

// companion is a tool that another tool of its server needs.
type companion struct {
	doc int32
	// why says for what, for a person to read.
	why string
	// reads reports that it reads what the other tool writes, which can do without it.
	reads bool
}

// companions finds which tools of its server each tool needs: those that its description
// says to call first, those that return an identifier it requires, and those that every
// tool of a browser needs. They are computed on first use, since few tools are ever among
// the best.
type companions struct {
	*index
	servers *serverIndex
	kits    []lazyKit // by server
	found   []atomic.Pointer[[]companion]
}

// lazyKit is one server's kit, and its tools that handle any kind of thing.
type lazyKit struct {
	once    sync.Once
	kit     *kit
	generic []int32
}

func newCompanions(x *index, servers *serverIndex) *companions {
	return &companions{
		index: x, servers: servers,
		kits: make([]lazyKit, servers.count), found: make([]atomic.Pointer[[]companion], len(x.analyses)),
	}
}

// of returns what a document needs, most needed first.
func (c *companions) of(doc int32) []companion {
	if known := c.found[doc].Load(); known != nil {
		return *known
	}
	server := c.servers.of[doc]
	kit := c.kit(server).kit
	place, _ := slices.BinarySearch(c.servers.members[server], doc)
	list := kit.find(&kit.tools[place])
	c.found[doc].Store(&list)
	return list
}

// generic returns a server's tools that handle any kind of thing.
func (c *companions) generic(server int32) []int32 { return c.kit(server).generic }

// kit returns a server's tools, prepared on first use.
func (c *companions) kit(server int32) *lazyKit {
	lazy := &c.kits[server]
	lazy.once.Do(func() {
		lazy.kit = newKit(c.analysed.docs, c.servers.members[server], c.lexicon)
		lazy.generic = genericTools(lazy.kit, c.lexicon)
	})
	return lazy
}

// find returns what a tool needs.
func (k *kit) find(t *kitTool) []companion {
	var list []companion
	if len(k.tools) < 2 {
		return nil
	}
	list = k.appendNamed(list, t)
	list = k.appendLookups(list, t)
	list = k.appendBrowser(list, t)
	list = k.appendReaders(list, t)
	return list[:min(len(list), maxCompanions)]
}

// appendLookups appends the tools that return the identifiers that a tool requires.
func (k *kit) appendLookups(list []companion, t *kitTool) []companion {
	for _, need := range t.needs {
		if l := k.lookup(t, need); l != nil {
			list = appendCompanion(list, companion{doc: l.doc, why: "for its " + need.parameter})
		}
	}
	return list
}

// lookup returns the tool whose result has the identifier that t needs, or nil. It
// prefers a tool named exactly after the thing over one with more words, a list
// over a search, and one with fewer required parameters.
func (k *kit) lookup(t *kitTool, need requiredID) *kitTool {
	var best, search *kitTool
	for i := range k.tools {
		l := &k.tools[i]
		if l == t || !isLookupVerb(l.verb) || l.requires(need.parameter) || !k.finds(l, t, need) {
			continue
		}
		if len(l.nouns) == 0 {
			search = l
			continue
		}
		if best == nil || cmp.Or(len(l.nouns)-len(best.nouns), l.effort()-best.effort(), len(l.needs)-len(best.needs)) < 0 {
			best = l
		}
	}
	if best == nil {
		return search
	}
	return best
}

// finds reports whether the lookup l returns the objects that need identifies.
//
// It does if its nouns equal those of need. If l returns several objects, its name may
// have further nouns before them: all of these are in the name of t, or the server has
// at most maxSmallKit tools. On such a server a list or search without a noun counts
// too. For a bare need, whose parameter is named like the object itself (vault, not
// vaultId), only a list of exactly these objects counts: the user may have given the value.
func (k *kit) finds(l, t *kitTool, need requiredID) bool {
	more := len(l.nouns) - len(need.nouns)
	switch {
	case len(l.nouns) == 0:
		return !need.bare && l.effort() < 2 && len(k.tools) <= maxSmallKit
	case len(need.nouns) == 0 || more < 0 || !slices.Equal(l.nouns[more:], need.nouns):
		return false
	case more == 0:
		return !need.bare || l.plural
	case need.bare || !l.plural:
		return false
	}
	return len(k.tools) <= maxSmallKit || !slices.ContainsFunc(l.nouns[:more], func(noun string) bool { return !slices.Contains(t.words, noun) })
}

// maxSmallKit is how many tools a small server has.
const maxSmallKit = 100

// effort ranks lookups: a list needs less input than a search.
func (t *kitTool) effort() int {
	switch t.verb {
	case "list":
		return 0
	case "search", "find":
		return 1
	}
	return 2
}

func (t *kitTool) requires(parameter string) bool {
	return slices.ContainsFunc(t.needs, func(n requiredID) bool { return n.parameter == parameter })
}

// appendCompanion appends a companion unless the list has it.
func appendCompanion(list []companion, c companion) []companion {
	if slices.ContainsFunc(list, func(o companion) bool { return o.doc == c.doc }) {
		return list
	}
	return append(list, c)
}

// appendNamed appends the tools that a tool's own description says to call first.
func (k *kit) appendNamed(list []companion, t *kitTool) []companion {
	d := &k.docs[t.doc]
	list = k.appendMentions(list, t.doc, clipText(d.Description))
	for i := range d.Parameters {
		list = k.appendMentions(list, t.doc, clipText(d.Parameters[i].Description))
	}
	return list
}

// appendMentions reads a text sentence by sentence.
func (k *kit) appendMentions(list []companion, own int32, s string) []companion {
	for sentence := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '.' || r == '\n' || r == ';' }) {
		if !isPrerequisite(sentence) {
			continue
		}
		for word := range strings.FieldsFuncSeq(sentence, func(r rune) bool { return !isNameRune(r) }) {
			doc, ok := k.named[word]
			if !ok || doc == own || !isToolName(word, sentence) {
				continue
			}
			list = appendCompanion(list, companion{doc: doc, why: "whose description says so"})
		}
	}
	return list
}

func isNameRune(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-'
}

// isToolName reports whether a word of a sentence is a tool's name rather than an everyday
// word: it has more than one part, or is quoted.
func isToolName(word, sentence string) bool {
	return strings.ContainsAny(word, "_-") || word != strings.ToLower(word) ||
		strings.Contains(sentence, "`"+word+"`") || strings.Contains(sentence, "'"+word+"'") || strings.Contains(sentence, `"`+word+`"`)
}

// isPrerequisite reports whether a sentence says that something has to be done before,
// rather than instead.
func isPrerequisite(sentence string) bool {
	lower := strings.ToLower(sentence)
	for _, no := range []string{"instead", "unlike", "rather than", "do not use", "don't use", "deprecated", "alternative", "prefer ", "similar to", "replaced by"} {
		if strings.Contains(lower, no) {
			return false
		}
	}
	for _, yes := range []string{"first", "before", "must", "require", "need", "obtain", "returned by", "result of", "from ", "to get ", "to find ", "get the", "call ", "use ", "using "} {
		if strings.Contains(lower, yes) {
			return true
		}
	}
	return false
}

// maxReaders is how many tools that read what a tool writes follow it. readerShare is
// their share of a companion's score, because the writer can do without them.
const (
	maxReaders  = 1
	readerShare = 0.7
)

// appendReaders appends, for a tool that writes, those that read from the same place.
// They require no other parameters than it, such as the file and its sheet; those with
// more of its parameters rank higher.
func (k *kit) appendReaders(list []companion, t *kitTool) []companion {
	if t.action&(makes|alters) == 0 {
		return list
	}
	writes, readers := requiredNames(k.docs[t.doc].Parameters), []scored(nil)
	for i := range k.tools {
		o := &k.tools[i]
		reads := requiredNames(k.docs[o.doc].Parameters)
		within := !slices.ContainsFunc(reads, func(name string) bool { return !slices.Contains(writes, name) })
		if o != t && o.action == looksUp && len(reads) > 0 && within {
			readers = append(readers, scored{float64(len(reads)), o.doc})
		}
	}
	sortScored(nil, readers)
	for _, r := range readers[:min(len(readers), maxReaders)] {
		list = appendCompanion(list, companion{r.doc, "to read what it writes to", true})
	}
	return list
}

// requiredNames returns the names of the required parameters.
func requiredNames(parameters []Parameter) []string {
	var names []string
	for i := range parameters {
		if parameters[i].Required {
			names = append(names, parameters[i].Name)
		}
	}
	return names
}

// appendBrowser appends, for a tool that acts on a page, the tools that open the page and
// list its elements.
func (k *kit) appendBrowser(list []companion, t *kitTool) []companion {
	if !slices.ContainsFunc(t.words, isPageAct) {
		return list
	}
	for i := range k.tools {
		o := &k.tools[i]
		if o == t {
			continue
		}
		switch {
		case slices.Contains(o.words, "navig") && len(o.words) <= 2, slices.Equal(o.words, []string{"goto"}):
			list = appendCompanion(list, companion{doc: o.doc, why: "to open the page"})
		case slices.Contains(o.words, "snapshot") && len(o.words) <= 2:
			list = appendCompanion(list, companion{doc: o.doc, why: "to know the page's elements"})
		}
	}
	return list
}

func isPageAct(stem string) bool {
	switch stem {
	case "click", "fill", "type", "hover", "screenshot", "snapshot", "press", "drag", "select":
		return true
	}
	return false
}
