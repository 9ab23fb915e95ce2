package reasons_test

import (
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router/reasons"
)

// TestExplain_sentence: each says what is true of the tool, and names no score.
func TestExplain_sentence(t *testing.T) {
	t.Parallel()
	const why = "Its name has “file”."
	cause := func(kind protocol.CauseKind) *protocol.Cause {
		return &protocol.Cause{Kind: kind, Owner: "review", Key: "winnow.searchTurns"}
	}
	blocked := &protocol.Cause{Kind: protocol.CauseMode, Owner: "review", Key: "blockedMcpServers"}
	for name, tc := range map[string]struct {
		tool   protocol.ExplainedTool
		shadow bool
		want   string
	}{
		"ranked for the latest message": {
			tool: protocol.ExplainedTool{Attached: true, Turn: 2, Reason: protocol.ReasonRanked, Why: why},
			want: why,
		},
		"ranked for an earlier one: what the latest says of it is not why": {
			tool: protocol.ExplainedTool{Attached: true, Turn: 1, Reason: protocol.ReasonRanked, Why: why},
			want: "It fitted your message of turn 1.",
		},
		"called, and gone from the scope since": {
			tool: protocol.ExplainedTool{Attached: true, Called: true, Turn: 1, Reason: protocol.ReasonPinned, Cause: blocked},
			want: `The model has called it. You, or its server, have it always loaded. It cannot be called now: mode “review” leaves its server out.`,
		},
		"called, and kept out now": {
			tool: protocol.ExplainedTool{Called: true, Cause: blocked},
			want: `The model has called it. Mode “review” leaves its server out.`,
		},
		"window over, however well it ranks": {
			tool: protocol.ExplainedTool{Rank: 1, Cause: cause(protocol.CauseFrozen), Why: why},
			want: "No more tools are chosen in this task; the model can load it. " + why,
		},
		"dispatch, however well it ranks": {
			tool: protocol.ExplainedTool{Rank: 1, Cause: cause(protocol.CauseDispatch), Why: why},
			want: "No tool is attached: the model finds them by mcp_search and runs them by mcp_call.",
		},
		"beaten":   {tool: protocol.ExplainedTool{Rank: 40, Cause: cause(protocol.CauseRank), Why: why}, want: "Others fit better. " + why},
		"no match": {tool: protocol.ExplainedTool{Cause: cause(protocol.CauseRank)}, want: "Nothing in the message matches it."},
		"only watching: what routing leaves out is attached": {
			tool:   protocol.ExplainedTool{Rank: 40, Cause: cause(protocol.CauseRank)},
			shadow: true,
			want:   "It is attached all the same, as you only watch. With routing on: others fit better.",
		},
		"only watching: what a rule keeps out is not": {
			tool: protocol.ExplainedTool{Cause: blocked}, shadow: true,
			want: `Mode “review” leaves its server out.`,
		},
		"waits for approval": {
			tool: protocol.ExplainedTool{Cause: cause(protocol.CauseChanged)},
			want: "Its server has changed it, and you have not approved that yet.",
		},
		"nobody has approved it": {
			tool: protocol.ExplainedTool{Cause: cause(protocol.CauseUnlisted)},
			want: "Nobody has approved it yet.",
		},
		"its server is off": {
			tool: protocol.ExplainedTool{Cause: &protocol.Cause{Kind: protocol.CauseServer, Owner: "files", Key: "disabled"}},
			want: "Its server is switched off.",
		},
		"off by itself": {
			tool: protocol.ExplainedTool{Cause: &protocol.Cause{Kind: protocol.CauseServer, Owner: "files", Key: "onlyAllow"}},
			want: "Switched off in its server's entry.",
		},
		"no room": {tool: protocol.ExplainedTool{Cause: cause(protocol.CauseLimit)}, want: "The request has as many tools as it may have."},
	} {
		reasons.Explain(&tc.tool, 2, nil, tc.shadow)
		if tc.tool.Sentence != tc.want {
			t.Errorf("%s: got %q, want %q", name, tc.tool.Sentence, tc.want)
		}
	}
}

// TestExplain_verdict: it names the turn, the reason, the rank or the rule.
func TestExplain_verdict(t *testing.T) {
	t.Parallel()
	read := protocol.ExplainedTool{Attached: true, Turn: 1, Reason: protocol.ReasonRanked, Rank: 2}
	gone := read
	gone.Cause = &protocol.Cause{Kind: protocol.CauseGone}
	beaten := protocol.ExplainedTool{Rank: 40, Cause: &protocol.Cause{Kind: protocol.CauseRank, Key: "winnow.initialK"}}
	for _, tc := range []struct {
		tool   protocol.ExplainedTool
		shadow bool
		want   string
	}{
		{read, false, "Attached at turn 1: ranked for the message, rank 2 for the latest message"},
		{read, true, "Would be attached at turn 1: ranked for the message, rank 2 for the latest message"},
		{gone, false, "Attached at turn 1: ranked for the message, rank 2 for the latest message. It cannot be called now: its server no longer offers it"},
		{beaten, false, "Not attached: not among the best winnow.initialK, rank 40 for the latest message"},
		{beaten, true, "Would not be attached: not among the best winnow.initialK, rank 40 for the latest message"},
		{protocol.ExplainedTool{}, false, "Not attached: it does not match the message"},
	} {
		reasons.Explain(&tc.tool, 1, nil, tc.shadow)
		if tc.tool.Verdict != tc.want {
			t.Errorf("got %q, want %q", tc.tool.Verdict, tc.want)
		}
	}
}

// TestExplain_gating: what a server said of another tool is not this one's.
func TestExplain_gating(t *testing.T) {
	t.Parallel()
	gating := []protocol.GatingVerdict{
		{Server: "files", Tool: "read", Action: protocol.GatingExclude, Ignored: "it is attached already"},
		{Server: "files", Tool: "other", Action: protocol.GatingClaim},
	}
	for tool, want := range map[string]string{
		"read":  "Its server keeps it out of this message, without effect: it is attached already.",
		"other": "Its server wants to answer the message with it.",
		"third": "",
	} {
		e := protocol.ExplainedTool{Server: "files", Tool: tool}
		reasons.Explain(&e, 1, gating, false)
		if e.Gating != want {
			t.Errorf("%s: got %q, want %q", tool, e.Gating, want)
		}
	}
}
