package router

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Bounds on the index of servers, in bytes except for maxIndexServers. Each request
// carries it, so it must not grow with the number of servers.
const (
	maxIndexServers = 24
	maxIndexName    = 60
	// maxIndexAbout bounds the text about one server, and maxIndexAbouts that about all
	// together: each gets an equal share.
	maxIndexAbout  = 100
	maxIndexAbouts = 800
)

// serverIndex lists the servers in scope: the number of tools of each and what they are
// for, one line each, and one line for those beyond the bound. Of a server whose tools
// are not known yet it writes only the name.
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

// about says in at most n bytes what a server is for: the first sentence of its own
// description, or else the subjects of its tools.
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

// maxSubjects is the most subjects named for a server.
const maxSubjects = 5

// subjects returns up to limit subjects of tools by their names, those of most tools
// first. Most names are a verb and an object up to a preposition, such as list_issues or
// add_comment_to_issue. The prefix that all names share is left out. A name of one word
// is its own subject.
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

// sharedPrefix returns how many first words several names share, such as the server's own
// name. It leaves at least one word of each.
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

// identifierWords returns the words of a tool's name in lower case. The name may be in
// snake, kebab or camel case.
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
