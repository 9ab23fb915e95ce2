package protocol

import "encoding/json"

// GatingVerdict is what a server said about one of its tools and a message,
// by the tool `_tool_gating`.
type GatingVerdict struct {
	Server string       `json:"server"`
	Tool   string       `json:"tool"`
	Action GatingAction `json:"action"`
	// Ignored says why the verdict has no effect; empty when it has.
	Ignored string `json:"ignored,omitzero"`
}

// GatingAction is what a server wants of a tool for one message.
type GatingAction string

// The values of [GatingAction].
const (
	// GatingExclude: the tool is not attached this turn.
	GatingExclude GatingAction = "exclude"
	// GatingClaim: the tool answers the message, without the model.
	GatingClaim GatingAction = "claim"
)

// Claim is a tool that answered a message in the model's place.
type Claim struct {
	Server    string          `json:"server"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	// Result is the answer of the turn.
	Result TaskCallResult `json:"result"`
}

// ClaimConfirmParams asks the user whether a server's tool may answer a
// message in the model's place, or run in a program: claim/confirm.
type ClaimConfirmParams struct {
	Task      string          `json:"task"`
	Server    string          `json:"server"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	// Program: a program of mcp_run calls the tool, and Why says what of it the
	// user should know. No server claims the message then.
	Program bool   `json:"program,omitzero"`
	Why     string `json:"why,omitzero"`
	// Question asks it; from faces that show it.
	Question *CallQuestion `json:"question,omitempty"`
}

// ClaimConfirmResult answers claim/confirm.
type ClaimConfirmResult struct {
	Allow bool `json:"allow"`
}
