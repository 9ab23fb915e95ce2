package reasons

import (
	"fmt"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// Explain fills in the sentences of an [protocol.ExplainedTool] whose other fields are
// set. turn is the task's turn, gating holds the servers' verdicts on its latest message,
// and shadow reports whether shadow mode is on.
func Explain(e *protocol.ExplainedTool, turn int, gating []protocol.GatingVerdict, shadow bool) {
	e.Sentence = sentence(e, turn, shadow)
	e.Verdict = verdict(e, shadow)
	e.Gating = gated(e, gating)
}

// sentence says why a tool is attached or not, without scores.
func sentence(e *protocol.ExplainedTool, turn int, shadow bool) string {
	var said []string
	if e.Called {
		said = append(said, "The model has called it.")
	}
	switch {
	case e.Attached:
		said = append(said, whyAttached(e, turn))
		if e.Cause != nil {
			said = append(said, "It cannot be called now: "+Plain(*e.Cause)+".")
		}
	case shadow && chosenBetween(e.Cause):
		said = append(said, "It is attached all the same, as you only watch. With routing on: "+lowerFirst(whyNot(e)))
	default:
		said = append(said, whyNot(e))
	}
	return strings.Join(said, " ")
}

func whyAttached(e *protocol.ExplainedTool, turn int) string {
	switch e.Reason {
	case protocol.ReasonAll:
		return "There are few tools, or routing is off: all are attached."
	case protocol.ReasonPinned:
		return "You, or its server, have it always loaded."
	case protocol.ReasonCalled:
		return "What was called stays."
	case protocol.ReasonFill:
		return "A place was free: it is the nearest of what was left."
	case protocol.ReasonLoaded:
		return "The model asked for it."
	case protocol.ReasonEarlyCall:
		return "It was attached when the model called it."
	}
	switch {
	case e.Turn < turn:
		return fmt.Sprintf("It fitted your message of turn %d.", e.Turn)
	case e.Why == "":
		return "It fits the message."
	}
	return e.Why
}

func whyNot(e *protocol.ExplainedTool) string {
	if e.Cause == nil || e.Cause.Kind == protocol.CauseRank && e.Rank == 0 {
		return "Nothing in the message matches it."
	}
	said := upperFirst(Plain(*e.Cause)) + "."
	switch e.Cause.Kind {
	case protocol.CauseFrozen, protocol.CauseNamed, protocol.CauseRank:
		said = strings.TrimSpace(said + " " + e.Why)
	}
	return said
}

// chosenBetween reports whether routing left the tool out. In shadow mode such a tool is
// attached; a tool that a rule keeps out is not.
func chosenBetween(c *protocol.Cause) bool {
	if c == nil {
		return true
	}
	switch c.Kind {
	case protocol.CauseDispatch, protocol.CauseLimit, protocol.CauseBudget, protocol.CauseFrozen,
		protocol.CauseNamed, protocol.CauseRank, protocol.CauseLate:
		return true
	}
	return false
}

// Attached returns the text of a reason for which a tool is attached.
func Attached(r protocol.AttachReason) string { return words[r] }

// words holds the texts of the reasons for which a tool is attached.
var words = map[protocol.AttachReason]string{
	protocol.ReasonAll:       "every tool is attached",
	protocol.ReasonPinned:    "always loaded",
	protocol.ReasonCalled:    "called before",
	protocol.ReasonRanked:    "ranked for the message",
	protocol.ReasonFill:      "filled a free place",
	protocol.ReasonLoaded:    "loaded by the model",
	protocol.ReasonEarlyCall: "called before it was attached",
}

// verdict says what was decided about a tool, by which rule, and what has happened since.
func verdict(e *protocol.ExplainedTool, shadow bool) string {
	rank := ""
	if e.Rank > 0 {
		rank = fmt.Sprintf(", rank %d for the latest message", e.Rank)
	}
	if !e.Attached {
		why := "it does not match the message"
		if e.Cause != nil {
			why = Text(*e.Cause)
		}
		return decided(false, shadow) + ": " + why + rank
	}
	text := decided(true, shadow)
	if e.Turn > 0 {
		text += fmt.Sprintf(" at turn %d", e.Turn)
	}
	if e.Reason != "" {
		text += ": " + words[e.Reason]
	}
	text += rank
	if e.Cause != nil {
		text += ". It cannot be called now: " + Text(*e.Cause)
	}
	return text
}

// decided says whether a tool is attached, or in shadow mode would be.
func decided(attached, shadow bool) string {
	switch {
	case shadow && attached:
		return "Would be attached"
	case shadow:
		return "Would not be attached"
	case attached:
		return "Attached"
	}
	return "Not attached"
}

// gated says what the tool's server said about it for the message, or "" if nothing.
func gated(e *protocol.ExplainedTool, gating []protocol.GatingVerdict) string {
	var said []string
	for _, g := range gating {
		if g.Server != e.Server || g.Tool != e.Tool {
			continue
		}
		wish := "Its server keeps it out of this message"
		if g.Action == protocol.GatingClaim {
			wish = "Its server wants to answer the message with it"
		}
		if g.Ignored != "" {
			wish += ", without effect: " + g.Ignored
		}
		said = append(said, wish+".")
	}
	return strings.Join(said, " ")
}

func upperFirst(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

func lowerFirst(text string) string { return strings.ToLower(text[:1]) + text[1:] }
