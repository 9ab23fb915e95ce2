package ranker

import "github.com/winnow-mcp/winnow/ranker/internal/text"

// actionSignal lifts the tools whose name has a verb of a kind that the message
// has too. What a tool works on is the same for all that create, read, change and
// delete it; the kind of verb tells these siblings apart, in other words too:
// "stick it into a file" makes something, as write_file does.
var actionSignal = signal{
	name:    "kind of action",
	weight:  func(w *Weights) float64 { return w.Action },
	prepare: func(w *work, _ *Query) { w.asked = actionsOf(w.whole.text, &w.tokenizer) },
	score: func(w *work, _ *Query, doc int32, sum float64) float64 {
		if w.x.analyses[doc].action&w.asked == 0 {
			return 0
		}
		return sum
	},
	detail: func(w *work, doc int32, p *Part) { p.Detail = w.x.analyses[doc].action.String() },
}

// action is a set of kinds of what is done to a thing.
type action uint8

// The kinds.
const (
	looksUp action = 1 << iota
	makes
	alters
	takesAway
)

// String says what a tool of one kind does; empty for none.
func (a action) String() string {
	switch a {
	case looksUp:
		return "it looks something up, as you ask"
	case makes:
		return "it makes something, as you ask"
	case alters:
		return "it changes something, as you ask"
	case takesAway:
		return "it takes something away, as you ask"
	}
	return ""
}

// actionsOf returns the kinds of action that a message asks for.
func actionsOf(message string, tokenizer *text.Tokenizer) (asked action) {
	tokenizer.Each(clipLong(message), func(word []byte, form text.Form) {
		if form != text.Whole {
			asked |= askedBy(string(word))
		}
	})
	return asked
}

// askedBy returns the kind of action that a folded word of a message asks for: as
// tools are named, and as people put it.
func askedBy(word string) action {
	switch word {
	case "what", "which", "who", "whose", "when", "where", "why", "how", "see", "look", "any", "anything", "is", "are", "did", "does", "has", "was":
		return looksUp
	case "stick", "put", "draft", "save", "drop", "ship", "tell", "roll", "boot", "spin":
		return makes
	case "bump", "push", "turn", "switch", "flip", "convert", "fix":
		return alters
	case "throw", "rid", "nuke":
		return takesAway
	}
	return actionIn(word)
}

// actionIn returns the kind of action that a folded word says which is part of a
// tool's name.
func actionIn(word string) action {
	switch word {
	case "get", "list", "search", "find", "read", "fetch", "query", "view", "show", "describe", "count", "status", "check", "lookup":
		return looksUp
	case "create", "add", "insert", "new", "post", "send", "write", "upload", "generate", "make", "append", "book", "open", "reply", "publish",
		"deploy", "start", "run", "log":
		return makes
	case "update", "edit", "set", "modify", "change", "rename", "move", "patch", "enable", "disable", "assign", "replace", "upsert", "mark",
		"reschedule", "merge", "close", "approve":
		return alters
	}
	if isRemoval(word) {
		return takesAway
	}
	return 0
}
