package protocol

import "encoding/json"

// TaskLoadParams attaches more tools: task/load. Either query or names.
type TaskLoadParams struct {
	Task  string `json:"task"`
	Query string `json:"query,omitzero"`
	// Names are names as the model gets them, or `server/tool`.
	Names []string `json:"names,omitzero"`
	// Limit is the most tools a query may attach; default `winnow.searchK`.
	Limit int `json:"limit,omitzero"`
	// WantState asks for the state of the task in the attachment.
	WantState bool `json:"wantState,omitzero"`
}

// TaskLoadResult answers task/load.
type TaskLoadResult struct {
	Loaded []LoadedTool `json:"loaded"`
	// Text is the answer for the model.
	Text string `json:"text"`
	// Report is the answer for a chat's user, as Markdown; from faces that have a
	// chat.
	Report     string     `json:"report,omitzero"`
	Attachment Attachment `json:"attachment"`
}

// LoadedTool is a tool that a load asked for or found.
type LoadedTool struct {
	Name   string `json:"name"`
	Server string `json:"server"`
	Tool   string `json:"tool"`
	// Already: it was attached before.
	Already bool `json:"already"`
}

// TaskSearchParams looks for tools in a task's scope: task/search.
type TaskSearchParams struct {
	Task  string `json:"task"`
	Query string `json:"query"`
	Limit int    `json:"limit,omitzero"`
}

// TaskSearchResult holds the matches, best first.
type TaskSearchResult struct {
	Ranker string           `json:"ranker"`
	Tools  []TaskSearchTool `json:"tools"`
	// Compared counts the tools that were searched.
	Compared int `json:"compared"`
}

// TaskSearchTool is a match of task/search.
type TaskSearchTool struct {
	FoundTool
	// Own is what the server calls itself and the tool; Name may be a host's.
	Own      ToolRef `json:"own"`
	Attached bool    `json:"attached"`
	// Signature is the tool's parameters in one line.
	Signature string `json:"signature"`
}

// TaskDescribeCallParams asks what a call would run, without running it, so
// that a host can ask the user first: task/describeCall.
type TaskDescribeCallParams struct {
	Task string `json:"task"`
	// Name and Arguments are those of the call that would be made.
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// TaskDescribeCallResult says what a call would run.
type TaskDescribeCallResult struct {
	// Meta: Winnow itself answers the call, and no tool runs.
	Meta bool `json:"meta,omitempty"`
	// Host: the tool is one of the host's own list, which makes the call, and asks
	// where it must.
	Host bool `json:"host,omitempty"`
	// Server and Tool name the tool; Title is the server's own word for it.
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool,omitempty"`
	Title  string `json:"title,omitempty"`
	// Arguments are what the tool would get.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Passed says which results the arguments pass on unread; empty where they
	// pass on none.
	Passed string `json:"passed,omitempty"`
	// ReadOnly: its server says that the tool only reads.
	ReadOnly bool `json:"readOnly,omitempty"`
	// Approved: the user's `alwaysAllow` lets it run without asking.
	Approved bool `json:"approved,omitempty"`
	// Confirm: the user is to be asked first.
	Confirm bool `json:"confirm,omitempty"`
	// Question asks it; present where Confirm is true.
	Question *CallQuestion `json:"question,omitempty"`
}

// CallQuestion asks the user whether a call may be made, or a claim.
type CallQuestion struct {
	// Title is the headline of a question in a chat, and Markdown the whole.
	Title    string `json:"title"`
	Markdown string `json:"markdown"`
	// Line is the whole in one line, for a notification, with the beginning of the
	// arguments.
	Line string `json:"line"`
}

// TaskCallParams calls a tool on behalf of a task: task/call.
type TaskCallParams struct {
	Task string `json:"task"`
	// Name is the tool's name as the model got it.
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitzero"`
	// ProgressToken asks for $/progress with this token.
	ProgressToken string `json:"progressToken,omitzero"`
	// WantState asks for the state of the task in the attachment.
	WantState bool `json:"wantState,omitzero"`
	// Consent is the user's yes, where the host has asked about this call.
	Consent CallConsent `json:"consent,omitzero"`
}

// CallConsent is how far the user's yes to a call of a tool reaches. That a tool
// has run once counts for later calls of it, too, where its server says that it
// only reads.
type CallConsent string

// The values of [CallConsent].
const (
	// ConsentOnce: this call.
	ConsentOnce CallConsent = "once"
	// ConsentTask: each call of the tool in this task, as the tool is now.
	ConsentTask CallConsent = "task"
	// ConsentAlways: each call, by `alwaysAllow` of the server's entry.
	ConsentAlways CallConsent = "always"
)

// What a host tells a model of a call, besides the content of its result.
const (
	// CallDeclined is the result of a call that the user declined.
	CallDeclined = "The user declined this call, and it was not made. Do not make it again unless the user asks for it."
	// CallFailed stands before the content of an error.
	CallFailed = "The tool failed:\n"
	// CallEmpty stands for a result without content.
	CallEmpty = "The tool answered nothing."
)

// TaskCallResult is the tool's answer, as MCP's CallToolResult.
type TaskCallResult struct {
	Content           []json.RawMessage `json:"content"`
	IsError           bool              `json:"isError"`
	StructuredContent json.RawMessage   `json:"structuredContent,omitzero"`
	// Meta is the `_meta` of the server's result.
	Meta json.RawMessage `json:"meta,omitzero"`
	// Server and Tool name what really ran; empty for a meta tool.
	Server string `json:"server,omitzero"`
	Tool   string `json:"tool,omitzero"`
	// Shaped is present when the result was too long and was cut.
	Shaped *ShapedResult `json:"shaped,omitzero"`
	// Attachment is present when the call changed what is attached.
	Attachment *Attachment `json:"attachment,omitzero"`
	// Host is present when the tool is one of the host's own list, and in the
	// answer to conversation/call for any tool of a source: the host
	// makes this call, and nothing has run here. IsError is then true and
	// Content says so, for a host that does not look here.
	Host *HostCall `json:"host,omitzero"`
}

// HostCall is a call that is the host's to make.
type HostCall struct {
	// Name is the tool's name in the host's list.
	Name string `json:"name"`
	// Arguments are always an object.
	Arguments json.RawMessage `json:"arguments"`
}

// ShapedResult says how a result was cut.
type ShapedResult struct {
	Kind ShapedKind `json:"kind"`
	// OmittedChars is how many characters of text were left out.
	OmittedChars int `json:"omittedChars"`
	// Handle reads the whole result by mcp_result, as long as the task is
	// open; empty when it could not be kept.
	Handle string `json:"handle,omitzero"`
}

// ShapedKind is how a result was cut.
type ShapedKind string

// The values of [ShapedKind].
const (
	// ShapedText: the middle of a text is left out.
	ShapedText ShapedKind = "text"
	// ShapedArray: the last items of a JSON array are left out.
	ShapedArray ShapedKind = "array"
	// ShapedJSON: parts of a JSON value are left out.
	ShapedJSON ShapedKind = "json"
)
