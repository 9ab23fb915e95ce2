// Package reasons turns a [protocol.Cause] into text. It is the only Go package that
// does, and makes no decisions.
package reasons

import (
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// texts caches [protocol.CauseTexts], which is constant.
var texts = protocol.CauseTexts()

// Text returns the text of a cause by [protocol.CauseTexts], or "" for the zero cause.
func Text(c protocol.Cause) string {
	return strings.NewReplacer("{owner}", c.Owner, "{key}", c.Key, "{text}", c.Text).Replace(texts[c.Kind])
}

// Plain returns the text of a cause that keeps a tool out, for readers who know no
// settings. It states what [Text] says with settings' names. The text can follow a colon
// or stand as a sentence.
func Plain(c protocol.Cause) string {
	switch c.Kind {
	case protocol.CauseServer:
		if c.Key == "disabled" {
			return "its server is switched off"
		}
		return "switched off in its server's entry"
	case protocol.CauseMode:
		return "mode “" + c.Owner + "” leaves its server out"
	case protocol.CauseStopped:
		return "its server is stopped"
	case protocol.CauseTask:
		return "switched off by you for this task"
	case protocol.CauseExcluded:
		return "its server keeps it out of this message"
	case protocol.CauseDispatch:
		return "no tool is attached: the model finds them by " + protocol.MetaSearch + " and runs them by " + protocol.MetaCall
	case protocol.CauseFrozen:
		return "no more tools are chosen in this task; the model can load it"
	case protocol.CauseNamed:
		return "the model knows its name, and can load it"
	case protocol.CauseRank:
		return "others fit better"
	case protocol.CauseLimit:
		return "the request has as many tools as it may have"
	case protocol.CauseBudget:
		return "the request has no room left for its tokens"
	case protocol.CauseChanged:
		return "its server has changed it, and you have not approved that yet"
	case protocol.CauseUnlisted:
		return "nobody has approved it yet"
	case protocol.CauseDamagedLock:
		return "what was recorded of its server cannot be read"
	}
	return Text(c)
}

// Wire returns a cause in its wire form: nil for the zero cause.
func Wire(c protocol.Cause) *protocol.Cause {
	if c.Kind == "" {
		return nil
	}
	return &c
}
