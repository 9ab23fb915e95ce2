package ranker

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
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
	kits []lazyKit // by server
	of   []atomic.Pointer[[]companion]
}

type lazyKit struct {
	once sync.Once
	kit  *kit
}

func newCompanions(x *fusionIndex) *companions {
	return &companions{
		kits: make([]lazyKit, x.servers.count),
		of:   make([]atomic.Pointer[[]companion], len(x.analysed.docs)),
	}
}

// companionsOf returns what a document needs, most needed first.
func (x *fusionIndex) companionsOf(doc int32) []companion {
	if known := x.companions.of[doc].Load(); known != nil {
		return *known
	}
	server := x.servers.of[doc]
	members := x.servers.members[server]
	kit := x.kitOf(server)
	place, _ := slices.BinarySearch(members, doc)
	list := kit.find(&kit.tools[place])
	x.companions.of[doc].Store(&list)
	return list
}

// kitOf returns a server's tools, prepared for finding companions.
func (x *fusionIndex) kitOf(server int32) *kit {
	lazy := &x.companions.kits[server]
	lazy.once.Do(func() { lazy.kit = newKit(x.analysed.docs, x.servers.members[server], x.lexicon) })
	return lazy.kit
}

// kit is one server's tools, prepared for finding companions.
type kit struct {
	docs  []Document
	tools []kitTool
	// named maps names to tools.
	named map[string]int32
	// namesWith counts, by word, the tools that have it in their names.
	namesWith map[string]int
	// generic holds the tools that handle any kind of thing.
	generic []int32
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
	needs []identifier
}

// identifier is a required parameter that holds an identifier.
type identifier struct {
	parameter string
	// bare reports that the parameter is named like the thing itself.
	bare bool
	// nouns holds the stems of what it identifies.
	nouns []string
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
		t.action = actionsIn(docs[t.doc].Name, inName, &r.tokenizer)
		if len(t.nouns) == 1 && slices.Contains(server, t.nouns[0]) {
			t.nouns = nil // "drive_search" of a server drive does not say what it searches
		}
		if nounsFirst {
			r.readList(t, docs[t.doc].Name)
		}
		t.plural = len(t.nouns) > 0 && r.hasPlural(docs[t.doc].Name, t.nouns[len(t.nouns)-1])
		r.readNeeds(t, &docs[t.doc])
		if k.isGeneric(t, &r) {
			k.generic = append(k.generic, t.doc)
		}
	}
	return k
}

// kitReader reads identifiers. The lists that it returns share memory; do not append to
// them.
type kitReader struct {
	lexicon   *lexicon
	tokenizer text.Tokenizer
	words     []string
	needs     []identifier
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
			r.needs = append(r.needs, identifier{p.Name, false, words[:n-1]})
		case n == 1 && isIdentifierWord(words[0]):
			r.needs = append(r.needs, identifier{p.Name, false, t.nouns})
		case !isContent(words[n-1]) && !slices.Equal(words, t.nouns) && !isPlural(p.Name):
			r.needs = append(r.needs, identifier{p.Name, true, words})
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
func (k *kit) lookup(t *kitTool, need identifier) *kitTool {
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
func (k *kit) finds(l, t *kitTool, need identifier) bool {
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
	return slices.ContainsFunc(t.needs, func(n identifier) bool { return n.parameter == parameter })
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
			if !ok || doc == own || !isName(word, sentence) {
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

// isName reports whether a word of a sentence is a tool's name rather than an everyday
// word: it has more than one part, or is quoted.
func isName(word, sentence string) bool {
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
	slices.SortFunc(readers, scored.order)
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
