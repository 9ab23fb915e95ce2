package bank

import (
	"fmt"
	"strings"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// perTool is the number of phrasings of each tool.
const perTool = 8

// maxPhrasing is the most bytes of a phrasing; people do not say longer ones.
const maxPhrasing = 160

// Check returns the problems of a server's file, one sentence each: a tool without or
// with too few phrasings, or listed twice; tools or phrasings out of order or doubled;
// and phrasings of two tools with the same meaning, so that the tool is ambiguous.
func Check(s *Server) []string {
	var problems []string
	report := func(t *Tool, format string, args ...any) {
		problems = append(problems, fmt.Sprintf("%s.txt:%d: tool %s: %s", s.Name, t.Line, t.Name, fmt.Sprintf(format, args...)))
	}
	if len(s.Family) == 0 {
		problems = append(problems, s.Name+".txt:1: no line \"server\" with the words of the server's name")
	}
	said := map[string]*Tool{}
	for i := range s.Tools {
		t := &s.Tools[i]
		if i > 0 && t.Name <= s.Tools[i-1].Name {
			report(t, "stands after %s: tools are in alphabetical order, each once", s.Tools[i-1].Name)
		}
		if len(t.Phrasings) != perTool {
			report(t, "has %d phrasings, want %d", len(t.Phrasings), perTool)
		}
		for _, phrasing := range t.Phrasings {
			if phrasing == "" || phrasing != strings.Join(strings.Fields(phrasing), " ") || len(phrasing) > maxPhrasing {
				report(t, "phrasing %q: want 1 to %d bytes, without spaces at the ends or doubled", phrasing, maxPhrasing)
			}
			key := saying(phrasing)
			if other := said[key]; other != nil {
				report(t, "phrasing %q says the same as one of %s", phrasing, other.Name)
			}
			if key != "" {
				said[key] = t
			}
		}
	}
	return problems
}

// saying returns the normalised words of a phrasing in order, without articles, numbers
// and inflection. It may be empty.
func saying(phrasing string) string {
	var words []string
	var tokenizer text.Tokenizer
	tokenizer.Each(phrasing, func(word []byte, form text.Form) {
		if w := string(word); form != text.Whole && !isArticle(w) && !isNumber(w) {
			words = append(words, text.Stem(w))
		}
	})
	return strings.Join(words, " ")
}

func isArticle(word string) bool { return word == "a" || word == "an" || word == "the" }

// isNumber reports whether a word starts with a digit.
func isNumber(word string) bool { return word[0] >= '0' && word[0] <= '9' }
