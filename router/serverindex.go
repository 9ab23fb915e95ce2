package router

import (
	"fmt"
	"strings"
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

// about says in at most n bytes what a server is for: what it says of itself,
// up to the end of the first sentence, or else the names of its first tools.
func (v *admission) about(t *Task, server, n int) string {
	s := &v.Catalog.Servers[server]
	if about := firstSentence(s.About); about != "" {
		return oneLine(about, n)
	}
	var b strings.Builder
	for i := s.First; i < s.End; i++ {
		if !v.admits(t, i) {
			continue
		}
		item := oneLine(v.Catalog.Tools[i].ID.Tool, maxIndexName)
		if b.Len() > 0 {
			item = ", " + item
		}
		if b.Len()+len(item) > n {
			if b.Len() == 0 {
				return oneLine(item, n)
			}
			return b.String() + "…"
		}
		b.WriteString(item)
	}
	return b.String()
}
