package scan

import (
	"maps"
	"regexp"
	"slices"
	"unicode"

	"github.com/winnow-mcp/winnow/protocol"
)

// Mixed reports whether a word mixes Latin letters with letters of a script that look
// like Latin ones.
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

// Mentioned is a possible name of a tool in a tool's texts, with the sentence and its
// place: a compound word such as `send_mail` or `sendMail`.
type Mentioned struct{ Name, Sentence, Where string }

// compound matches a compound word.
var compound = regexp.MustCompile(`[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+`)

// compounds returns the compound words of a sentence. A byte scan excludes most sentences
// faster than the expression.
func compounds(sentence string) []string {
	for i := 1; i < len(sentence); i++ {
		switch before, c := sentence[i-1], sentence[i]; {
		case c == '_', c == '-', c >= 'A' && c <= 'Z' && before >= 'a' && before <= 'z':
			return compound.FindAllString(sentence, -1)
		}
	}
	return nil
}

// Names holds the names of all servers and tools of a session.
type Names struct {
	// owners maps a tool's name to its servers.
	owners map[string][]string
	// looks maps an appearance to the names with it.
	looks map[string][]string
	// lookalikes maps a server to another one with a similar name.
	lookalikes map[string]string
}

// NewNames returns the names for the tools of each server.
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

// Findings returns the findings about a tool that result from the other names.
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
