package router

// TurnText returns the text that [View.Turn] ranks tools for: the message or,
// where that does not say what it is about, the latest one of the task that
// does; empty where none does. A vector is of use for exactly this text.
func (v *matching) TurnText(t Task, message string) string {
	t = t.said(message)
	return v.RankedText(&t)
}

// CompactText is [View.TurnText] for [View.Compact].
func (v *matching) CompactText(t Task, message string) string {
	t = t.repeated(message)
	return v.RankedText(&t)
}

// RankedText returns the text that tools were ranked for in the task's latest
// turn, and that [View.Explain] ranks them for.
func (v *matching) RankedText(t *Task) string {
	text, _, _ := v.subject(t)
	return text
}

// QueryText returns the text that [View.Load] ranks tools for, where a model asks
// for query.
func QueryText(query string) string { return loadQuery(query) }

// FindText returns the text that [View.FindTools] ranks tools for; empty where
// tools are only selected by name.
func FindText(f Find) string {
	if _, ok := f.selection(); ok {
		return ""
	}
	return QueryText(f.Query)
}
