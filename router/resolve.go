package router

import (
	"cmp"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol/spelling"
)

// ambiguous marks an alias that more than one tool answers to.
const ambiguous = -1

// buildAliases maps the folded spellings under which a tool may be called to
// its ordinal: its presented name, its host's and its own name, and server and tool
// together.
func (c *Catalog) buildAliases() map[string]int {
	aliases := make(map[string]int, 3*len(c.Tools))
	add := func(alias string, i int) {
		if other, taken := aliases[alias]; taken && other != i {
			aliases[alias] = ambiguous
			return
		}
		aliases[alias] = i
	}
	for i := range c.Tools {
		t := &c.Tools[i]
		add(foldName(t.Name), i)
		for _, id := range []ToolID{t.ID, t.Own} {
			add(foldName(sanitizeName(id.Tool)), i)
			add(foldName(sanitizeName(id.Server+"__"+id.Tool)), i)
			add(foldName(sanitizeName(id.Server+"_"+id.Tool)), i)
		}
	}
	return aliases
}

// maxServerEcho is how much of a server's name is repeated in a text for the model,
// in characters.
const maxServerEcho = 40

// whose says of which server a tool is, before what is told of it, where another
// tool has the like name and its own does not show the server; else it is empty.
func (c *Catalog) whose(t *Tool) string {
	own := foldName(sanitizeName(t.Own.Tool))
	server := foldName(sanitizeName(t.Own.Server))
	if c.aliases()[own] != ambiguous || strings.Contains(foldName(t.Name), server) {
		return ""
	}
	return oneLine(t.Own.Server, maxServerEcho) + ": "
}

// Resolve returns the ordinal of the tool that a model means by name: the one
// presented so, or the one that `server/tool` names, else the only one that is
// left when the prefix is dropped, - and _ are taken for the same and case is
// ignored. False means that there is none, or more than one.
func (c *Catalog) Resolve(name string) (int, bool) {
	if i, ok := c.exact(name); ok {
		return i, true
	}
	return c.loose(name)
}

// exact returns the tool that is presented as name, or whose path it is.
func (c *Catalog) exact(name string) (int, bool) {
	if i, ok := c.byName[name]; ok {
		return i, true
	}
	return c.byPath(name)
}

// loose returns the only tool that a mangled name can mean.
func (c *Catalog) loose(name string) (int, bool) {
	aliases := c.aliases()
	for _, spelling := range spellings(name) {
		if i, ok := aliases[spelling]; ok && i != ambiguous {
			return i, true
		}
	}
	return 0, false
}

// maxPath bounds the paths that are looked up, and the names that others are
// compared with, in bytes: each slash and each word of one is tried, and a model
// may paste anything.
const maxPath = 1024

// byPath returns the tool that `server/tool` names. Either may hold a slash of
// its own, as in `@scope/server`; a path that can be read in two ways is none.
func (c *Catalog) byPath(path string) (int, bool) {
	if len(path) > maxPath {
		return 0, false
	}
	found := ambiguous
	for at, r := range path {
		if r != '/' {
			continue
		}
		if i, ok := c.byID[ToolID{Server: path[:at], Tool: path[at+1:]}]; ok {
			if found != ambiguous {
				return 0, false
			}
			found = i
		}
	}
	return found, found != ambiguous
}

// spellings returns what a mangled name may have been, likeliest first.
func spellings(name string) []string {
	folded := foldName(strings.TrimSpace(name))
	list := []string{folded}
	bare := folded
	for _, prefix := range []string{"functions.", "mcp__", "mcp_", "mcp."} {
		if rest, ok := strings.CutPrefix(bare, prefix); ok {
			bare = rest
			list = append(list, bare)
		}
	}
	for _, separator := range []string{"/", ".", ":"} {
		if strings.Contains(bare, separator) {
			list = append(list, strings.ReplaceAll(bare, separator, "__"))
		}
	}
	for i, spelling := range list {
		list[i] = sanitizeName(spelling)
	}
	return slices.Compact(list)
}

// Suggest returns up to n presented names that resemble name, for an error
// that helps: first those that a slip of the keyboard explains, then those that
// share most words. Only tools that admit returns true for are named, and
// nothing resembles what is too long for a name.
func (c *Catalog) Suggest(name string, n int, admit func(tool int) bool) []string {
	if len(name) > maxPath {
		return nil
	}
	words := nameWords(name)
	type candidate struct {
		name   string
		slips  int
		shared int
	}
	var found []candidate
	for i := range c.Tools {
		if !admit(i) {
			continue
		}
		slips := c.slips(name, i)
		if shared := sharedWords(words, nameWords(c.Tools[i].Name)); shared > 0 || slips < manySlips {
			found = append(found, candidate{c.Tools[i].Name, slips, shared})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(a.slips-b.slips, b.shared-a.shared, strings.Compare(a.name, b.name))
	})
	names := make([]string, 0, n)
	for _, f := range found[:min(n, len(found))] {
		names = append(names, f.name)
	}
	return names
}

// manySlips stands for a name that was not mistyped but is another.
const manySlips = 1000

// slips returns how many letters of name are wrong if a tool was meant by its
// presented or its own name.
func (c *Catalog) slips(name string, tool int) int {
	fewest := manySlips
	for _, word := range []string{c.Tools[tool].Name, c.Tools[tool].ID.Tool} {
		if slips, meant := spelling.Slips(foldName(name), foldName(word)); meant {
			fewest = min(fewest, slips)
		}
	}
	return fewest
}

func nameWords(name string) []string {
	words := strings.FieldsFunc(foldName(name), func(r rune) bool { return r == '_' || r == '/' || r == '.' })
	return slices.DeleteFunc(words, func(w string) bool { return w == "mcp" })
}

func sharedWords(a, b []string) int {
	n := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			n++
		}
	}
	return n
}
