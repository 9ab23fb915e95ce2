package protocol

// ConversationRouteParams routes one request of a host that is stateless:
// conversation/route.
type ConversationRouteParams struct {
	// Conversation is the host's own id; empty finds the task by messages.
	Conversation string `json:"conversation,omitzero"`
	// Messages are the digests of the whole request, oldest first.
	Messages []MessageDigest `json:"messages"`
	// Message is the user's own words of the newest user message.
	Message string `json:"message,omitzero"`
	// Called names the tools that the conversation has called.
	Called []string `json:"called,omitzero"`
	Source string   `json:"source,omitzero"`
	// Mode is the slug of a mode; empty goes by Agent.
	Mode string `json:"mode,omitzero"`
	// Agent is what the host calls the agent, or the mode of its own, that the
	// user works with. The mode of this name or slug is meant by it, in any
	// case of the letters; where there is none, the current mode.
	Agent string      `json:"agent,omitzero"`
	Model ModelLimits `json:"model,omitzero"`
	// WantState asks for the state of the task in the attachment.
	WantState bool `json:"wantState,omitzero"`
}

// MessageDigest stands for one message of a request.
type MessageDigest struct {
	// Role is `system`, `user`, `assistant` or `tool`. A tool result is never
	// `user`.
	Role string `json:"role"`
	// Digest is any string that equal messages share.
	Digest string `json:"digest"`
}

// ConversationRouteResult answers conversation/route.
type ConversationRouteResult struct {
	Task string `json:"task"`
	// NewTurn: the request began a turn.
	NewTurn bool `json:"newTurn"`
	// Compacted: the history was no longer an extension of the known one, so
	// the tools were chosen afresh.
	Compacted  bool       `json:"compacted,omitzero"`
	Attachment Attachment `json:"attachment"`
}
