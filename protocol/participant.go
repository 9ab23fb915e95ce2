package protocol

// ChatBeginParams asks for the messages that a model is sent for a message to
// @winnow: chat/begin. The host sends them by conversation/route.
type ChatBeginParams struct {
	// Prompt is the user's text, Attached what belongs to it.
	Prompt   string           `json:"prompt"`
	Attached []ChatAttachment `json:"attached"`
	// Past is the chat so far, oldest first.
	Past []ChatTurn `json:"past"`
	// Folders are the paths of the open folders.
	Folders []string `json:"folders"`
	// ContextTokens is the model's context window; 0 where it is not known.
	ContextTokens int `json:"contextTokens"`
}

// ChatAttachment is an attachment of a message: a text, a picture, or the reason
// why it cannot be sent. The host keeps the bytes of a picture, and adds it
// behind the text of the message.
type ChatAttachment struct {
	Name    string `json:"name"`
	Text    string `json:"text,omitzero"`
	Picture bool   `json:"picture,omitzero"`
	Problem string `json:"problem,omitzero"`
}

// ChatTurn is an earlier message of the user with its answer.
type ChatTurn struct {
	Prompt string `json:"prompt"`
	Answer string `json:"answer"`
	// Record is absent where the answer failed too early.
	Record *ChatRecord `json:"record,omitzero"`
}

// ChatRecord is what is kept of a turn.
type ChatRecord struct {
	// Messages are those of the turn, results as texts.
	Messages []MessageDigest `json:"messages"`
	// Dropped is how many of the chat's first turns are no longer sent, since
	// they do not fit.
	Dropped int `json:"dropped"`
}

// ChatBeginResult answers chat/begin.
type ChatBeginResult struct {
	// Messages are the system prompt, the chat so far, and the new message last.
	Messages []MessageDigest `json:"messages"`
	Dropped  int             `json:"dropped"`
	// Warnings tell the user what is not sent.
	Warnings []string `json:"warnings"`
}

// ChatKeepParams asks what is kept of a turn: chat/keep.
type ChatKeepParams struct {
	// Messages are those of the turn, the user's first.
	Messages []MessageDigest `json:"messages"`
	Ending   ChatEnding      `json:"ending"`
	// Interrupted is the id of the call that the user cancelled while it ran.
	Interrupted string `json:"interrupted,omitzero"`
}

// ChatEnding is how a turn ended.
type ChatEnding string

// The values of [ChatEnding].
const (
	// ChatAnswered: the model made no more calls.
	ChatAnswered ChatEnding = "answered"
	// ChatRounds: the model was asked as often as the host allows.
	ChatRounds    ChatEnding = "rounds"
	ChatCancelled ChatEnding = "cancelled"
	// ChatFailed: the model failed.
	ChatFailed ChatEnding = "failed"
)

// ChatKeepResult answers chat/keep.
type ChatKeepResult struct {
	// Messages are for a [ChatRecord]. Each call in them has a result.
	Messages []MessageDigest `json:"messages"`
}
