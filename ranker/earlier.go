package ranker

import "strings"

// maxEarlier is how many earlier messages and calls count, the latest.
const maxEarlier = 3

// before returns the task's earlier messages, without pasted text, and the names of the
// tools it called.
func (q *Query) before(docs []Document) string {
	var b strings.Builder
	for _, message := range q.Earlier[max(0, len(q.Earlier)-maxEarlier):] {
		request, _ := splitPasted(message)
		head, _ := clipQuery(request)
		b.WriteString(head)
		b.WriteString("\n")
	}
	for _, doc := range q.Called[max(0, len(q.Called)-maxEarlier):] {
		if doc >= 0 && doc < len(docs) {
			b.WriteString(docs[doc].Name)
			b.WriteString("\n")
		}
	}
	return b.String()
}
