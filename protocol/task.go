package protocol

import "encoding/json"

// TaskOpenParams opens a task with its first message: task/open.
type TaskOpenParams struct {
	// Message is the user's own words.
	Message string `json:"message"`
	// Source is the host tool list to route; empty is the daemon's servers.
	Source string `json:"source,omitzero"`
	// Mode is the slug of the mode; empty is the current one.
	Mode    string      `json:"mode,omitzero"`
	Model   ModelLimits `json:"model,omitzero"`
	Choices TaskChoices `json:"choices,omitzero"`
	// State resumes a saved task in place of opening a new one.
	State *TaskState `json:"state,omitzero"`
}

// ModelLimits is what a model and its host leave for MCP tools.
type ModelLimits struct {
	// MaxTools is the model's own limit on tools in a request; 0 is unknown.
	MaxTools int `json:"maxTools,omitzero"`
	// ContextTokens is the size of the context window; 0 is unknown.
	ContextTokens int `json:"contextTokens,omitzero"`
	// NativeTools counts the tools that the host sends besides.
	NativeTools int `json:"nativeTools,omitzero"`
}

// TaskChoices are what the user decided for one task only.
type TaskChoices struct {
	// Pinned tools are attached from the start.
	Pinned []ToolRef `json:"pinned,omitzero"`
	// Disabled tools are out of scope.
	Disabled []ToolRef `json:"disabled,omitzero"`
}

// ToolRef names a tool by its identity within a source.
type ToolRef struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
}

// TaskTurnParams takes a turn with a new user message: task/turn.
type TaskTurnParams struct {
	Task    string `json:"task"`
	Message string `json:"message"`
	// Mode switches the mode from this turn on, when present.
	Mode    *string      `json:"mode,omitzero"`
	Model   *ModelLimits `json:"model,omitzero"`
	Choices *TaskChoices `json:"choices,omitzero"`
}

// TaskCompactParams says that the host has compacted the conversation, so that
// the prompt cache is lost and the tools may be chosen afresh: task/compact.
type TaskCompactParams struct {
	Task string `json:"task"`
	// Message is what the afresh ranking goes by; default the task's latest.
	Message string `json:"message,omitzero"`
}

// TaskResumeParams restores a saved task: task/resume.
type TaskResumeParams struct {
	State TaskState `json:"state"`
}

// TaskParams names a task: task/close.
type TaskParams struct {
	Task string `json:"task"`
}

// TaskListResult lists the open tasks, the one that was worked on last at the
// end: task/list. Explaining a task or asking for its usage is no work on it.
type TaskListResult struct {
	Tasks []TaskSummary `json:"tasks"`
}

// TaskSummary describes an open task.
type TaskSummary struct {
	Task   string         `json:"task"`
	Source string         `json:"source"`
	Mode   string         `json:"mode"`
	Turn   int            `json:"turn"`
	Frozen bool           `json:"frozen"`
	Counts AttachedCounts `json:"counts"`
	Tokens AttachedTokens `json:"tokens"`
	// Shadow: the user only watches (`winnow.shadow`), and Counts and Tokens
	// are what routing would have made of the task. Missed counts the tools
	// that were called while routing would not have attached them.
	Shadow bool `json:"shadow,omitzero"`
	Missed int  `json:"missed,omitzero"`
	// MissedTools are those tools, in the order of their first calls.
	MissedTools []ToolRef `json:"missedTools,omitzero"`
	// Warnings are for the user, of the latest turn: those of its [Attachment],
	// and while the user only watches also those of what routing would have
	// attached.
	Warnings []string `json:"warnings,omitzero"`
}

// Attachment is what a task's next request should carry.
type Attachment struct {
	Task string `json:"task"`
	// Generation rises with each change of the attached tools.
	Generation int64          `json:"generation"`
	Mode       AttachmentMode `json:"mode"`
	// Turn counts user messages from 1.
	Turn int `json:"turn"`
	// Frozen: the rolling window is over; only mcp_load attaches more.
	Frozen bool `json:"frozen"`
	// Tools are in the order in which they were attached.
	Tools     []AttachedTool `json:"tools"`
	MetaTools []MetaTool     `json:"metaTools"`
	Counts    AttachedCounts `json:"counts"`
	Tokens    AttachedTokens `json:"tokens"`
	// Ranker names what ranked this turn; empty when nothing was ranked.
	Ranker string `json:"ranker,omitzero"`
	// Warnings are for the user, such as a count above a model's limit.
	Warnings []string `json:"warnings,omitzero"`
	// Shadow: the user only watches (`winnow.shadow`), so Tools holds
	// everything in scope and WouldAttach what routing had chosen.
	Shadow      bool           `json:"shadow,omitzero"`
	WouldAttach []AttachedTool `json:"wouldAttach,omitzero"`
	// Claim is present when a tool that its server wanted to answer the
	// message has run; its result is the answer of the turn.
	Claim *Claim `json:"claim,omitzero"`
	// State restores the task by task/resume or task/open, in this daemon or
	// a later one.
	State *TaskState `json:"state"`
}

// AttachmentMode is how the tools of an attachment were chosen.
type AttachmentMode string

// The values of [AttachmentMode].
const (
	// AttachAll: every tool in scope is attached.
	AttachAll AttachmentMode = "all"
	// AttachDynamic: the tools were ranked.
	AttachDynamic AttachmentMode = "dynamic"
	// AttachDispatch: none is attached; the model searches and calls.
	AttachDispatch AttachmentMode = "dispatch"
)

// AttachedTool is a tool as the model is told of it.
type AttachedTool struct {
	Name        string          `json:"name"`
	Server      string          `json:"server"`
	Tool        string          `json:"tool"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	// Tokens is the o200k cost of the JSON object of name, description and
	// inputSchema.
	Tokens int `json:"tokens"`
	// Turn is when it was attached.
	Turn   int          `json:"turn"`
	Reason AttachReason `json:"reason"`
	// Score is what the ranker gave it; 0 when it was not ranked.
	Score float64 `json:"score,omitzero"`
}

// AttachReason is why a tool was attached.
type AttachReason string

// The values of [AttachReason].
const (
	// ReasonAll: routing is off or not needed.
	ReasonAll AttachReason = "all"
	// ReasonPinned: always-load, or pinned for the task.
	ReasonPinned AttachReason = "pinned"
	// ReasonCalled: the task has called it before.
	ReasonCalled AttachReason = "called"
	// ReasonRanked: it was among the best for a message.
	ReasonRanked AttachReason = "ranked"
	// ReasonFill: too few tools matched, and a free slot was left.
	ReasonFill AttachReason = "fill"
	// ReasonLoaded: the model asked for it by mcp_load.
	ReasonLoaded AttachReason = "loaded"
	// ReasonEarlyCall: the model called it before it was attached.
	ReasonEarlyCall AttachReason = "earlyCall"
)

// MetaTool is a tool of Winnow's own, such as mcp_load.
type MetaTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// AttachedCounts counts tools.
type AttachedCounts struct {
	// Scoped tools could be attached.
	Scoped int `json:"scoped"`
	// Attached tools are; meta tools are not counted.
	Attached int `json:"attached"`
	// Native tools are the host's own.
	Native int `json:"native"`
}

// AttachedTokens is what tools cost, in o200k tokens.
type AttachedTokens struct {
	// All is the cost of every tool in scope.
	All int `json:"all"`
	// Attached is the cost of the attached tools and the meta tools.
	Attached int `json:"attached"`
	// Saved is All less Attached; negative when routing costs more.
	Saved int `json:"saved"`
}

// TaskState is a task that can be saved and restored. Hosts keep it as it is
// and never look inside.
type TaskState struct {
	Version     int            `json:"version"`
	Task        string         `json:"task"`
	Source      string         `json:"source"`
	Mode        string         `json:"mode"`
	ModeAsked   string         `json:"modeAsked"`
	Routing     AttachmentMode `json:"routing"`
	Turn        int            `json:"turn"`
	Window      int            `json:"window"`
	Generation  int64          `json:"generation"`
	LoadOffered bool           `json:"loadOffered"`
	Model       ModelLimits    `json:"model"`
	Choices     TaskChoices    `json:"choices"`
	Tools       []AttachedTool `json:"tools"`
	Called      []ToolRef      `json:"called"`
	// Index describes the servers to a model that searches and calls; it is
	// written once. Shown are the tools whose schema the model has seen.
	Index string      `json:"index,omitzero"`
	Shown []ShownTool `json:"shown,omitzero"`
	// ResultOffered: mcp_result was offered, and so it stays.
	ResultOffered bool `json:"resultOffered,omitzero"`
	// Message and Earlier are the user messages that later turns rank by.
	Message string   `json:"message"`
	Earlier []string `json:"earlier"`
	// Conversation and Messages find the task again by conversation/route.
	Conversation string          `json:"conversation,omitzero"`
	Messages     []MessageDigest `json:"messages,omitzero"`
}

// ShownTool is a tool whose schema a model has seen.
type ShownTool struct {
	ToolRef
	// Digest is that of the schema; a changed one is shown again.
	Digest string `json:"digest"`
}

// TaskLoadParams attaches more tools: task/load. Either query or names.
type TaskLoadParams struct {
	Task  string `json:"task"`
	Query string `json:"query,omitzero"`
	// Names are names as the model is told them, or `server/tool`.
	Names []string `json:"names,omitzero"`
	// Limit is the most tools a query may attach; default `winnow.searchK`.
	Limit int `json:"limit,omitzero"`
}

// TaskLoadResult answers task/load.
type TaskLoadResult struct {
	Loaded []LoadedTool `json:"loaded"`
	// Text is the answer for the model.
	Text       string     `json:"text"`
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
	Attached bool `json:"attached"`
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
	// Server and Tool name the tool; Title is the server's own word for it.
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool,omitempty"`
	Title  string `json:"title,omitempty"`
	// Arguments are what the tool would get.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// ReadOnly: its server says that the tool only reads.
	ReadOnly bool `json:"readOnly,omitempty"`
	// Approved: the user's `alwaysAllow` lets it run without asking.
	Approved bool `json:"approved,omitempty"`
}

// TaskCallParams calls a tool on behalf of a task: task/call.
type TaskCallParams struct {
	Task string `json:"task"`
	// Name is the tool's name as the model was told it.
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitzero"`
	// ProgressToken asks for $/progress with this token.
	ProgressToken string `json:"progressToken,omitzero"`
}

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

// TaskExplainParams asks why tools are or are not attached: task/explain.
type TaskExplainParams struct {
	Task string `json:"task"`
	// Tool restricts the answer to a name, as the model would be told it.
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
	// Turn is when it was attached.
	Turn   int          `json:"turn,omitzero"`
	Reason AttachReason `json:"reason,omitzero"`
	// Rank is its place for the task's latest message, from 1; 0 when it does
	// not match.
	Rank  int     `json:"rank"`
	Score float64 `json:"score"`
	// Parts sum to Score.
	Parts []ScorePart `json:"parts"`
	// Rule says what keeps the tool out: a scope rule with its setting, or
	// the limit that was reached.
	Rule   string `json:"rule,omitzero"`
	Tokens int    `json:"tokens"`
	// Missed: it was called while routing would not have attached it. Only
	// while the user watches (`winnow.shadow`).
	Missed bool `json:"missed,omitzero"`
}

// TaskUsageParams asks where the context goes: task/usage.
type TaskUsageParams struct {
	Task string `json:"task"`
	// Sections are the host's own, such as the system prompt.
	Sections []UsageSection `json:"sections,omitzero"`
}

// TaskUsageResult holds the host's sections and those of the tools. Total is
// their exact sum, and each section with children the sum of them.
type TaskUsageResult struct {
	Total    int            `json:"total"`
	Sections []UsageSection `json:"sections"`
	// ContextTokens is the model's window; 0 is unknown.
	ContextTokens int `json:"contextTokens,omitzero"`
	// Free is ContextTokens less Total; absent when the window is unknown.
	Free *int `json:"free,omitzero"`
	// Unrouted is what Total would be with every tool in scope attached.
	Unrouted int `json:"unrouted"`
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
