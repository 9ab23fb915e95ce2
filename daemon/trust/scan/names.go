package scan

import (
	"maps"
	"regexp"
	"slices"
	"unicode"

	"github.com/winnow-mcp/winnow/protocol"
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

// compounds returns such words of a sentence. In most sentences no byte is like
// what joins the parts of one, and expressions are slow.
func compounds(sentence string) []string {
	for i := 1; i < len(sentence); i++ {
		switch before, c := sentence[i-1], sentence[i]; {
		case c == '_', c == '-', c >= 'A' && c <= 'Z' && before >= 'a' && before <= 'z':
			return compound.FindAllString(sentence, -1)
		}
	}
	return nil
}

// Names are those of servers and tools that are there together.
type Names struct {
	// owners are the servers that have a tool of a name.
	owners map[string][]string
	// looks are names by what they look like.
	looks map[string][]string
	// lookalikes are servers whose names look like those of others.
	lookalikes map[string]string
}

// NewNames returns the names of servers and of the tools of each.
func NewNames(tools map[string][]string) *Names {
	servers := slices.Sorted(maps.Keys(tools))
	n := &Names{owners: map[string][]string{}, looks: map[string][]string{}, lookalikes: lookalikes(servers)}
	for _, server := range servers {
		for _, tool := range tools[server] {
			owners := n.owners[tool]
			if len(owners) == 0 {
				look := looks(tool)
				n.looks[look] = append(n.looks[look], tool)
			}
			if !slices.Contains(owners, server) {
				n.owners[tool] = append(owners, server)
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
	if other := n.lookalikes[server]; other != "" {
		findings = append(findings, protocol.Finding{Kind: protocol.FindingLookalikeServer, Text: server, Other: other})
	}
	return findings
}
