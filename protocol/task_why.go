package protocol

// TaskExplainParams asks why tools are or are not attached: task/explain.
type TaskExplainParams struct {
	Task string `json:"task"`
	// Tool restricts the answer to a name, as the model would get it.
	Tool string `json:"tool,omitzero"`
}

// TaskExplainResult holds the attached tools in their order, then the others
// by rank, then those out of scope.
type TaskExplainResult struct {
	Ranker string          `json:"ranker"`
	Tools  []ExplainedTool `json:"tools"`
	// Gating is what servers said about the task's latest message.
	Gating []GatingVerdict `json:"gating,omitzero"`
	// Shadow: the user only watches, and attached means would be attached.
	Shadow bool `json:"shadow,omitzero"`
}

// ExplainedTool says why one tool is or is not attached.
type ExplainedTool struct {
	Server   string `json:"server"`
	Tool     string `json:"tool"`
	Name     string `json:"name"`
	Attached bool   `json:"attached"`
	// Called: the task's model has called it.
	Called bool `json:"called,omitzero"`
	// Turn is when it was attached.
	Turn   int          `json:"turn,omitzero"`
	Reason AttachReason `json:"reason,omitzero"`
	// Rank is its place for the task's latest message, from 1; 0 when it does
	// not match.
	Rank  int     `json:"rank"`
	Score float64 `json:"score"`
	// Parts sum to Score.
	Parts []ScorePart `json:"parts"`
	// Why says in one sentence what the weightiest parts mean; empty where it was
	// not compared.
	Why string `json:"why,omitzero"`
	// Sentence says why the tool is there or not, to somebody who knows no scores
	// and no settings. It may be several sentences.
	Sentence string `json:"sentence"`
	// Verdict says what was decided about the tool, with the turn, the rank and
	// the rule. It ends without a full stop.
	Verdict string `json:"verdict"`
	// Gating says what the tool's server said about it and the task's latest
	// message; empty where it said nothing.
	Gating string `json:"gating,omitzero"`
	// Cause says what keeps the tool out: a scope rule with its setting, or the
	// limit that was reached.
	Cause  *Cause `json:"cause,omitzero"`
	Tokens int    `json:"tokens"`
	// Missed: it was called while routing would not have attached it. Only
	// while the user watches (`winnow.shadow`).
	Missed bool `json:"missed,omitzero"`
}

// TaskUsageParams asks where the context goes: task/usage.
type TaskUsageParams struct {
	Task string `json:"task"`
	// Sections are the host's own, such as the system prompt; absent are those of the
	// task's latest request.
	Sections []UsageSection `json:"sections,omitzero"`
}

// TaskUsageResult holds the host's sections and those of the tools. Total is
// their exact sum, and each section with children the sum of them.
type TaskUsageResult struct {
	Total int `json:"total"`
	// Sections are the host's own in their order, then that of the attached tools,
	// then that of Winnow's own tools, where there are any.
	Sections []UsageSection `json:"sections"`
	// ContextTokens is the model's window; 0 is unknown.
	ContextTokens int `json:"contextTokens,omitzero"`
	// Free is ContextTokens less Total; absent when the window is unknown.
	Free *int `json:"free,omitzero"`
	// Unrouted is what Total would be with every tool in scope attached.
	Unrouted int `json:"unrouted"`
	// Client is what Total would be without Winnow, with what the client hides by
	// itself; see [ClientTools].
	Client int `json:"client"`
	// Turns tells how the attachment grew.
	Turns []UsageTurn `json:"turns"`
	// Shadow: the user only watches, so Unrouted is what is sent, and all else
	// is what routing would have sent.
	Shadow bool `json:"shadow,omitzero"`
}

// UsageSection is one part of the context.
type UsageSection struct {
	Name     string         `json:"name"`
	Tokens   int            `json:"tokens"`
	Children []UsageSection `json:"children,omitzero"`
}

// UsageTurn is what one turn attached.
type UsageTurn struct {
	Turn  int `json:"turn"`
	Added int `json:"added"`
	// Tokens is the cost of the tools that the turn added.
	Tokens int `json:"tokens"`
}
