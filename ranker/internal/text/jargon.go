package text

import "strings"

// jargon maps developers' terms to the words of tools. The table is our own. It holds
// terms with one meaning in a chat about software that synonyms cannot express: several
// words, or exactly the same thing.
var jargon = map[string]string{
	"pr":   "pull request",
	"prs":  "pull requests",
	"ci":   "continuous integration, pipeline, build",
	"k8s":  "kubernetes",
	"bug":  "issue",
	"bugs": "issues",
}

// longestJargon is the length of the longest word in it.
const longestJargon = 4

// WriteOut appends to each word of developers' jargon the words of tools: "review the PR"
// gives "review the PR (pull request)". Pieces of identifiers, paths and addresses stay
// unchanged.
func WriteOut(message string) string {
	var out strings.Builder
	done := 0
	for i := 0; i < len(message); {
		r, size := decode(message, i)
		if !isWordRune(r) {
			i += size
			continue
		}
		start := i
		i = wordEnd(message, i)
		if i-start > longestJargon || isPiece(message, start, i) {
			continue
		}
		if plain, ok := jargon[strings.ToLower(message[start:i])]; ok {
			out.WriteString(message[done:i])
			out.WriteString(" (" + plain + ")")
			done = i
		}
	}
	if done == 0 {
		return message
	}
	out.WriteString(message[done:])
	return out.String()
}

// wordEnd returns where the letters and digits that start at i end.
func wordEnd(s string, i int) int {
	for i < len(s) {
		r, size := decode(s, i)
		if !isWordRune(r) {
			break
		}
		i += size
	}
	return i
}

// isPiece reports whether s[start:end] is joined to another word.
func isPiece(s string, start, end int) bool {
	const joints = `_-./\@:=`
	if start > 0 && strings.IndexByte(joints, s[start-1]) >= 0 {
		return true
	}
	if end+1 >= len(s) || strings.IndexByte(joints, s[end]) < 0 {
		return false
	}
	r, _ := decode(s, end+1)
	return isWordRune(r)
}
