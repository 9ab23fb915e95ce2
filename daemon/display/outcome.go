package display

import "github.com/winnow-mcp/winnow/protocol"

// outcome is the state of a tool in a task, in list order.
type outcome int

const (
	// missed: called although routing would not have attached it.
	missed outcome = iota
	attached
	// kept: it is in the requests, but can no longer be called.
	kept
	leftOut
	// held: it waits for the user's approval.
	held
	off
	outcomes
)

// outcomeOf returns the outcome of a tool. Attached and left-out tools are in scope, so
// that they add up to [protocol.AttachedCounts].
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

// outOfScope returns what keeps a tool out of scope, or leftOut if routing has not chosen
// it.
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

// byOutcome groups tools by outcome, each group by relevance.
func byOutcome(tools []protocol.ExplainedTool) [outcomes][]*protocol.ExplainedTool {
	var sorted [outcomes][]*protocol.ExplainedTool
	for _, tool := range byRelevance(tools) {
		o := outcomeOf(tool)
		sorted[o] = append(sorted[o], tool)
	}
	return sorted
}

// countInScope counts the tools in scope, and those of them that the task has.
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
