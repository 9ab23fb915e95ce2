package router

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Bounds on the index of servers, in bytes but for the first. It stands in each
// request, so it must not grow with what the user has installed.
const (
	maxIndexServers = 24
	maxIndexName    = 60
	// maxIndexAbout bounds what is said of one server, maxIndexAbouts of all
	// together: each gets an equal share.
	maxIndexAbout  = 100
	maxIndexAbouts = 800
)

// serverIndex names the servers in scope, how many tools each has and what they
// are for: one line each, and one for all that are too many. A server whose
// tools are not known yet is named alone. Models use what they can imagine.
func (v *admission) serverIndex(t *Task) string {
	type line struct{ server, tools int }
	var lines []line
	more, moreTools := 0, 0
	for s := range v.Catalog.Servers {
		n := v.countServer(t, s)
		switch {
		case n == 0 && !v.unlisted(s):
		case len(lines) < maxIndexServers:
			lines = append(lines, line{s, n})
		default:
			more++
			moreTools += n
		}
	}
	if len(lines) == 0 {
		return "- none yet"
	}
	var b strings.Builder
	share := min(maxIndexAbout, maxIndexAbouts/len(lines))
	for _, l := range lines {
		b.WriteString("- " + oneLine(v.Catalog.Servers[l.server].Name, maxIndexName))
		if l.tools > 0 {
			fmt.Fprintf(&b, " (%d): %s", l.tools, v.about(t, l.server, share))
		}
		b.WriteByte('\n')
	}
	if more > 0 {
		fmt.Fprintf(&b, "- and %s (%d)\n", plural(more, "more server"), moreTools)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// about says in at most n bytes what a server is for: what it says of itself, up
// to the end of the first sentence, or else what its tools are about.
func (v *admission) about(t *Task, server, n int) string {
	s := &v.Catalog.Servers[server]
	if about := firstSentence(s.About); about != "" {
		return oneLine(about, n)
	}
	var names []string
	for i := s.First; i < s.End; i++ {
		if v.admits(t, i) {
			names = append(names, v.Catalog.Tools[i].ID.Tool)
		}
	}
	var b strings.Builder
	for _, subject := range subjects(names, maxSubjects) {
		if b.Len() > 0 {
			subject = ", " + subject
		}
		if b.Len()+len(subject) > n && b.Len() > 0 {
			break
		}
		b.WriteString(subject)
	}
	return oneLine(b.String(), n)
}

// maxSubjects is how many subjects are said of a server.
const maxSubjects = 5

// subjects are what tools are about, by their names: most names say what is done
// and to what, up to a preposition, as list_issues or add_comment_to_issue. Those
// of most tools come first, at most limit. What all names begin with is left out,
// and a name of one word stands for itself.
func subjects(names []string, limit int) []string {
	count := map[string]int{}
	var order []string
	all := make([][]string, len(names))
	for i, name := range names {
		all[i] = identifierWords(name)
	}
	prefix := sharedPrefix(all)
	for _, words := range all {
		if words = words[prefix:]; len(words) > 1 {
			words = words[1:]
		}
		if end := slices.IndexFunc(words, isPreposition); end > 0 {
			words = words[:end]
		}
		subject := strings.TrimSuffix(strings.Join(words, " "), "s")
		if count[subject]++; count[subject] == 1 {
			order = append(order, subject)
		}
	}
	slices.SortStableFunc(order, func(a, b string) int { return count[b] - count[a] })
	return order[:min(limit, len(order))]
}

// sharedPrefix is how many words all of several names begin with, such as the
// server's own name. At least one word of each is left.
func sharedPrefix(names [][]string) int {
	if len(names) < 2 {
		return 0
	}
	n := len(names[0]) - 1
	for _, words := range names[1:] {
		n = min(n, len(words)-1)
		for i := range n {
			if words[i] != names[0][i] {
				n = i
				break
			}
		}
	}
	return max(n, 0)
}

// identifierWords are the words of a tool's name, in lower case: it may be in snake,
// kebab or camel case.
func identifierWords(name string) []string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		if unicode.IsUpper(r) && lower || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			b.WriteByte(' ')
		}
		if lower = unicode.IsLower(r) || unicode.IsDigit(r); lower || unicode.IsLetter(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return strings.Fields(b.String())
}

func isPreposition(word string) bool {
	return slices.Contains([]string{"to", "from", "for", "by", "in", "of", "on", "with", "at", "as"}, word)
}
