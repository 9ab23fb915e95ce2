package display

import "github.com/winnow-mcp/winnow/protocol"

// outcome is what became of a tool in a task, in the order in which lists have
// it.
type outcome int

const (
	// missed: called while routing would not have attached it.
	missed outcome = iota
	attached
	// kept: it is in the requests, and cannot be called any more.
	kept
	leftOut
	// held: it waits for the user's approval.
	held
	off
	outcomes
)

// outcomeOf says what became of a tool. Attached and left out are those in scope,
// so that they add up to what [protocol.AttachedCounts] counts.
func outcomeOf(tool *protocol.ExplainedTool) outcome {
	out := outOfScope(tool.Cause)
	switch {
	case tool.Missed:
		return missed
	case tool.Attached && out == leftOut:
		return attached
	case tool.Attached:
		return kept
	}
	return out
}

// outOfScope says by whom a tool is kept out of scope; left out are those that
// routing has not chosen.
func outOfScope(cause *protocol.Cause) outcome {
	if cause == nil {
		return leftOut
	}
	switch cause.Kind {
	case protocol.CauseServer, protocol.CauseMode, protocol.CauseTask, protocol.CauseStopped, protocol.CauseGone:
		return off
	case protocol.CauseChanged, protocol.CauseUnlisted, protocol.CauseDamagedLock:
		return held
	}
	return leftOut
}

// byOutcome sorts tools by what became of them, each by relevance.
func byOutcome(tools []protocol.ExplainedTool) [outcomes][]*protocol.ExplainedTool {
	var sorted [outcomes][]*protocol.ExplainedTool
	for _, tool := range byRelevance(tools) {
		o := outcomeOf(tool)
		sorted[o] = append(sorted[o], tool)
	}
	return sorted
}

// countInScope counts the tools that a task could have, and of those the ones
// that it has.
func countInScope(tools []protocol.ExplainedTool) (scoped, has int) {
	for i := range tools {
		if outOfScope(tools[i].Cause) != leftOut {
			continue
		}
		scoped++
		if tools[i].Attached {
			has++
		}
	}
	return scoped, has
}
