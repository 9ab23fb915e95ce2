package scan

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router/spelling"
)

// Mixed reports whether a word has letters of Latin and of a script whose
// letters look like Latin ones.
func Mixed(word string) bool {
	latin, other, letters := false, false, 0
	for _, r := range word {
		switch {
		case !unicode.IsLetter(r):
			continue
		case unicode.Is(unicode.Latin, r):
			latin = true
		case unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee):
			other = true
		}
		letters++
	}
	return latin && other && letters > 2
}

// Mentioned are the names of tools that a tool's texts may be about, each with
// the sentence and its place: words that are made of several, as `send_mail` and
// `sendMail` are.
type Mentioned struct{ Name, Sentence, Where string }

// compound matches such a word.
var compound = regexp.MustCompile(`[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+`)

// Mentions returns what the texts of an MCP Tool object may be about.
func Mentions(raw json.RawMessage) []Mentioned {
	d, err := readDefinition(raw)
	if err != nil {
		return nil
	}
	var all []Mentioned
	for _, t := range d.prose {
		for _, sentence := range sentences(t.words) {
			for _, name := range compound.FindAllString(sentence, -1) {
				all = append(all, Mentioned{name, shorten(sentence), t.where})
			}
		}
	}
	return all
}

// Names are those of servers and tools that are there together.
type Names struct {
	// owners are the servers that have a tool of a name.
	owners map[string][]string
	// looks are names by what they look like.
	looks   map[string][]string
	servers []string
}

// NewNames returns the names of servers and of the tools of each.
func NewNames(tools map[string][]string) *Names {
	n := &Names{owners: map[string][]string{}, looks: map[string][]string{}, servers: slices.Sorted(maps.Keys(tools))}
	for _, server := range n.servers {
		for _, tool := range tools[server] {
			if !slices.Contains(n.owners[tool], server) {
				n.owners[tool] = append(n.owners[tool], server)
			}
			if look := looks(tool); !slices.Contains(n.looks[look], tool) {
				n.looks[look] = append(n.looks[look], tool)
			}
		}
	}
	return n
}

// Findings returns what is to be said of a tool beside the others.
func (n *Names) Findings(server, tool string, mentions []Mentioned) []protocol.Finding {
	var findings []protocol.Finding
	seen := map[string]bool{}
	for _, m := range mentions {
		owners := n.owners[m.Name]
		if len(owners) == 0 || seen[m.Name] || slices.Contains(owners, server) {
			continue
		}
		seen[m.Name] = true
		findings = append(findings, protocol.Finding{Kind: protocol.FindingOtherTool, Text: m.Sentence, Where: m.Where, Other: owners[0] + "/" + m.Name})
	}
	for _, other := range n.looks[looks(tool)] {
		if other != tool && !slices.Contains(n.owners[other], server) {
			findings = append(findings, protocol.Finding{Kind: protocol.FindingLookalikeTool, Text: tool, Where: "name", Other: n.owners[other][0] + "/" + other})
			break
		}
	}
	if other := n.lookalike(server); other != "" {
		findings = append(findings, protocol.Finding{Kind: protocol.FindingLookalikeServer, Text: server, Other: other})
	}
	return findings
}

// minName is how long a server's name is for one other letter to be a likeness
// and not another word.
const minName = 6

// lookalike returns a server whose name looks like another's; empty when there
// is none. Digits tell instances of one server apart.
func (n *Names) lookalike(server string) string {
	for _, other := range n.servers {
		if other == server || strings.Trim(other, "0123456789-_") == strings.Trim(server, "0123456789-_") {
			continue
		}
		near := len(server) >= minName && len(other) >= minName && slip(server, other)
		if near || looks(server) == looks(other) {
			return other
		}
	}
	return ""
}

// likeness replaces what looks alike by one of each: digits and letters, and the
// letters of other scripts that have the shape of Latin ones, after Unicode's
// confusables (UTS #39).
var likeness = strings.NewReplacer(
	"0", "o", "1", "l", "|", "l", "i", "l", "rn", "m", "vv", "w", "5", "s", "_", "", "-", "", " ", "", ".", "",
	"а", "a", "е", "e", "о", "o", "р", "p", "с", "c", "у", "y", "х", "x", "ѕ", "s", "і", "l", "ј", "j", "ԁ", "d", "һ", "h", "ӏ", "l", "в", "b", "к", "k", "м", "m", "т", "t", "н", "h",
	"α", "a", "ο", "o", "ρ", "p", "ν", "v", "ι", "l", "κ", "k", "τ", "t", "υ", "u", "χ", "x", "ε", "e",
)

// looks returns what a name looks like.
func looks(name string) string { return cmp.Or(likeness.Replace(strings.ToLower(name)), name) }

// slip reports whether one letter tells two names apart.
func slip(a, b string) bool {
	slips, meant := spelling.Slips(a, b)
	return meant && slips == 1
}
