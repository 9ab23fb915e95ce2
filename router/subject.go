package router

import (
	"cmp"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/ranker"
)

// wordsShare divides the usual number of tools for a message that a model can probably
// answer without a tool.
const wordsShare = 3

// subject returns the task's latest message that says what it is about, and the messages
// before it. It returns false if none does. "And now?" refers to what was said before.
func (v *matching) subject(t *Task) (message string, earlier []string, ok bool) {
	if v.says(t.Message) {
		return t.Message, t.Earlier, true
	}
	for i := len(t.Earlier) - 1; i >= 0; i-- {
		if v.says(t.Earlier[i]) {
			return t.Earlier[i], t.Earlier[:i], true
		}
	}
	return "", nil, false
}

// says reports whether a message says what it is about. An empty message counts as such,
// because some hosts do not send it.
func (v *matching) says(message string) bool {
	return message == "" || v.Catalog.corpus.Wants(message) != ranker.WantsNothing
}

// noteSubject returns the task with SubjectAt set if its latest message is the first of
// the window that tools can be searched by.
func (v *matching) noteSubject(t Task) Task {
	if t.SubjectAt > 0 {
		return t
	}
	if _, _, about := v.subject(&t); about {
		t.SubjectAt = t.Window
	}
	return t
}

// few returns how many tools the task's latest message gets, where k is usual.
func (v *matching) few(t *Task, k int) int {
	if k > 0 && v.Catalog.corpus.Wants(t.Message) == ranker.WantsWords {
		return max(1, k/wordsShare)
	}
	return k
}

// fillers returns which servers' tools may fill places: all, or those in recent use if
// the task's messages do not say what they are about.
func (v *matching) fillers(t *Task) func(server string) bool {
	if _, _, about := v.subject(t); about {
		return anyServer
	}
	recent := v.recentServers()
	return func(server string) bool { return slices.Contains(recent, server) }
}

// recentServers returns the servers whose tools were used, most used first.
func (v *matching) recentServers() []string {
	uses := map[string]float64{}
	for id, n := range v.Usage {
		if _, ok := v.Catalog.Lookup(id); ok {
			uses[id.Server] += n
		}
	}
	servers := make([]string, 0, len(uses))
	for server := range uses {
		servers = append(servers, server)
	}
	slices.SortFunc(servers, func(a, b string) int { return cmp.Or(cmp.Compare(uses[b], uses[a]), strings.Compare(a, b)) })
	return servers
}

// withSubject returns the query for a task: its subject and the messages before it.
func (v *matching) withSubject(t *Task, limit int) (q ranker.Query, ok bool) {
	message, earlier, ok := v.subject(t)
	if !ok {
		return q, false
	}
	q = v.query(t, message, limit)
	q.Earlier, q.Called = earlier, v.calledTools(t)
	return q, true
}
