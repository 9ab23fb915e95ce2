package ranker

import "github.com/winnow-mcp/winnow/ranker/internal/text"

// harmSignal takes from a tool that destroys when the message only asks to see
// something.
var harmSignal = signal{
	name:    "only asks to see",
	weight:  func(w *Weights) float64 { return 1 - w.Harm },
	prepare: func(w *work, _ *Query) { w.harmless = onlyAsks(w.whole.text, &w.tokenizer) },
	score: func(w *work, _ *Query, doc int32, sum float64) float64 {
		if !w.harmless || !destroys(&w.x.analysed.docs[doc], w.x.analyses[doc]) {
			return 0
		}
		return -sum
	},
	detail: func(_ *work, _ int32, p *Part) { p.Detail = "this tool destroys or removes something" },
}

// destroys reports whether calling a tool makes something disappear, as far
// as can be told: a verb of its name says so and its annotations do not deny
// it. The destructive hint alone does not tell: it also marks tools that
// overwrite, and is the default for tools that say nothing.
func destroys(d *Document, a *analysis) bool {
	return a.removes && d.ReadOnly != Yes && d.Destructive != No
}

// isRemoval reports whether a folded word says that something is gone
// afterwards.
func isRemoval(word string) bool {
	switch word {
	case "delete", "deletes", "deleting", "deleted", "remove", "removes", "removing", "rm", "erase", "drop",
		"destroy", "purge", "wipe", "truncate", "uninstall", "terminate", "kill", "revoke", "cancel",
		"clear", "discard", "prune", "unlink", "trash":
		return true
	}
	return false
}

// isChange reports whether a folded word of a message asks for something to
// be made or altered, removal aside.
func isChange(word string) bool {
	switch word {
	case "create", "make", "add", "insert", "write", "update", "edit", "change", "modify", "rename", "move",
		"replace", "set", "send", "post", "publish", "upload", "deploy", "install", "merge", "close", "clean",
		"reset", "stop", "disable", "empty", "undo", "unsubscribe", "rid", "unassign", "book", "buy", "order", "pay":
		return true
	}
	return false
}

// isAsking reports whether a folded word opens a request to see something.
func isAsking(word string) bool {
	switch word {
	case "what", "which", "who", "whose", "when", "where", "why", "how", "list", "show", "find", "search", "get",
		"read", "view", "see", "check", "tell", "look", "lookup", "display", "fetch", "count", "describe",
		"explain", "summarise", "summarize", "compare", "is", "are", "does", "do", "did", "was", "were", "has", "have":
		return true
	}
	return false
}

// isBeing reports whether a folded word says what something is.
func isBeing(word string) bool {
	switch word {
	case "is", "are", "am", "was", "were":
		return true
	}
	return false
}

// onlyAsks reports whether a message asks to see something and for nothing to
// be made, altered or removed.
func onlyAsks(message string, tokenizer *text.Tokenizer) bool {
	asks, changes := false, false
	head, tail := clipQuery(message)
	for _, s := range []string{head, tail} {
		tokenizer.Each(s, func(word []byte, form text.Form) {
			if form == text.Whole {
				return
			}
			asks = asks || isAsking(string(word))
			changes = changes || isChange(string(word)) || isRemoval(string(word))
		})
	}
	return asks && !changes
}
