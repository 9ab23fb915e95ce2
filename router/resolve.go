package router

import (
	"cmp"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol/spelling"
)

// ambiguous marks an alias of more than one tool.
const ambiguous = -1

// buildAliases maps the folded spellings of a tool to its ordinal: its presented name,
// its host's name, its own name, and server and tool together.
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

// maxServerEcho is how many characters of a server's name a text for the model repeats.
const maxServerEcho = 40

// whose returns a prefix that names a tool's server. It is empty unless another tool has
// a similar name and its own name does not contain the server.
func (c *Catalog) whose(t *Tool) string {
	own := foldName(sanitizeName(t.Own.Tool))
	server := foldName(sanitizeName(t.Own.Server))
	if c.aliases()[own] != ambiguous || strings.Contains(foldName(t.Name), server) {
		return ""
	}
	return oneLine(t.Own.Server, maxServerEcho) + ": "
}

// Resolve returns the ordinal of the tool that a model means by name: the tool presented
// so, or the one that `server/tool` names. Otherwise it is the only tool that matches
// without the prefix, with - and _ equal and case ignored. It returns false if there is
// none, or more than one.
func (c *Catalog) Resolve(name string) (int, bool) {
	if i, ok := c.exact(name); ok {
		return i, true
	}
	return c.loose(name)
}

// exact returns the tool that is presented as name or has this path.
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

// maxPath bounds in bytes the paths to look up and the names to compare. Each slash and
// each word of one is tried, and a model may paste any text.
const maxPath = 1024

// byPath returns the tool that `server/tool` names. Either may contain a slash, as in
// `@scope/server`. A path with two readings matches nothing.
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

// spellings returns what a mangled name may stand for, most likely first.
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

// Suggest returns up to n presented names that resemble name, for an error message.
// Probable misspellings come first, then names that share most words. Only tools for
// which admit returns true are named. If name is longer than maxPath, the result is nil.
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

// manySlips stands for a name that is not a misspelling but another name.
const manySlips = 1000

// slips returns the number of wrong letters in name if a tool's presented or own name was
// meant.
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

// maxHostPrefix is the most bytes that VS Code puts before a server's own name of a tool.
const maxHostPrefix = 18

// presentName returns the identity of a tool in the catalogue, which may have had another
// prefix of VS Code's before: that of the longest own name with which its name ends. It
// returns id and false if there is none.
func (c *Catalog) presentName(id ToolID) (ToolID, bool) {
	if _, ok := c.Lookup(id); ok {
		return id, true
	}
	found, longest := id, 0
	for i := range c.Tools {
		t := &c.Tools[i]
		prefix, ok := strings.CutSuffix(id.Tool, "_"+t.Own.Tool)
		if ok && t.ID.Server == id.Server && t.ID.Tool != t.Own.Tool && strings.HasPrefix(prefix, "mcp_") && len(prefix) < maxHostPrefix && len(t.Own.Tool) > longest {
			found, longest = t.ID, len(t.Own.Tool)
		}
	}
	return found, longest > 0
}
