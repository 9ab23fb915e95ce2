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
	// WantState asks for the state of the task in the attachment.
	WantState bool `json:"wantState,omitzero"`
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
	// Source is the host tool list from this turn on, when present.
	Source *string `json:"source,omitzero"`
	// Mode switches the mode from this turn on, when present.
	Mode    *string      `json:"mode,omitzero"`
	Model   *ModelLimits `json:"model,omitzero"`
	Choices *TaskChoices `json:"choices,omitzero"`
	// WantState asks for the state of the task in the attachment.
	WantState bool `json:"wantState,omitzero"`
}

// TaskCompactParams says that the host has compacted the conversation, so that
// the prompt cache is lost and the tools may be chosen afresh: task/compact.
type TaskCompactParams struct {
	Task string `json:"task"`
	// Message is what the afresh ranking goes by; default the task's latest.
	Message string `json:"message,omitzero"`
	// WantState asks for the state of the task in the attachment.
	WantState bool `json:"wantState,omitzero"`
}

// TaskResumeParams restores a saved task: task/resume.
type TaskResumeParams struct {
	State TaskState `json:"state"`
	// WantState asks for the state of the task in the attachment.
	WantState bool `json:"wantState,omitzero"`
}

// TaskParams names a task: task/close, task/tools.
type TaskParams struct {
	Task string `json:"task"`
}

// TaskListResult lists the open tasks, the one that was worked on last at the
// end: task/list. Explaining a task or asking for its usage is no work on it.
// Before there is one, it has the past task of the chat that the host has open.
type TaskListResult struct {
	Tasks []TaskSummary `json:"tasks"`
	Week  WeekSavings   `json:"week"`
	// Days are the last of which there are sums, the earliest first.
	Days []DaySavings `json:"days,omitzero"`
}

// WeekSavings sums up the routed requests of the current week in this
// workspace, those of @winnow left out: no client would send them. It is set to zero by savings/reset.
type WeekSavings struct {
	// Monday is the day on which the week began, as 2006-01-02.
	Monday string `json:"monday"`
	Tasks  int    `json:"tasks"`
	// Requests counts those that are known: an editor's agent is seen with each
	// of its requests, other hosts with one for each turn.
	Requests int `json:"requests"`
	// Client, ClientSaved and Saved sum up those of [AttachedTokens].
	Client      int `json:"client,omitzero"`
	ClientSaved int `json:"clientSaved"`
	Saved       int `json:"saved"`
}

// DaySavings sums up the routed requests of one day in this workspace, as
// [WeekSavings] does of the week.
type DaySavings struct {
	// Day is the date, as 2006-01-02.
	Day         string `json:"day"`
	Tasks       int    `json:"tasks,omitzero"`
	Requests    int    `json:"requests"`
	Client      int    `json:"client,omitzero"`
	ClientSaved int    `json:"clientSaved,omitzero"`
	Saved       int    `json:"saved,omitzero"`
	// LeftOut are the tokens of the tools in scope that the requests went without,
	// by server.
	LeftOut map[string]int `json:"leftOut,omitzero"`
}

// TaskSummary describes an open task.
type TaskSummary struct {
	Task   string `json:"task"`
	Source string `json:"source"`
	Mode   string `json:"mode"`
	// ModeName is the mode's name; empty where there is no such mode any more.
	ModeName string `json:"modeName,omitzero"`
	// OutOfMode counts the tools that the mode takes away from the task; those that
	// another rule keeps out are not among them.
	OutOfMode int            `json:"outOfMode,omitzero"`
	Turn      int            `json:"turn"`
	Frozen    bool           `json:"frozen"`
	Counts    AttachedCounts `json:"counts"`
	Tokens    AttachedTokens `json:"tokens"`
	// Routing is how the latest turn chose the tools.
	Routing AttachmentMode `json:"routing"`
	Used    UsedTools      `json:"used"`
	// Shadow: the user only watches (`winnow.shadow`), and Counts and Tokens
	// are what routing would have made of the task. Missed counts the tools
	// that were called while routing would not have attached them.
	Shadow bool `json:"shadow,omitzero"`
	Missed int  `json:"missed,omitzero"`
	// MissedTools are those tools by their servers' own names, in the order of their
	// first calls.
	MissedTools []ToolRef `json:"missedTools,omitzero"`
	// Warnings are for the user, of the latest turn: those of its [Attachment],
	// and while the user only watches also those of what routing would have
	// attached.
	Warnings []string `json:"warnings,omitzero"`
	// Client: the task's client has said what it would send by itself (see
	// [ClientTools]), and Tokens.Client is that. Otherwise it is every tool.
	Client bool `json:"client,omitzero"`
	// ClientComputed: a part of Tokens.Client is not observed (see [ClientTools]).
	ClientComputed bool `json:"clientComputed,omitzero"`
	TaskFacts

	// Past: it is the task of a chat of an earlier session, as it was then. Guess:
	// nothing says yet that this chat is the one that the host has open again.
	Past  bool `json:"past,omitzero"`
	Guess bool `json:"guess,omitzero"`
	// At is when the chat of a past task was used last, in milliseconds of Unix
	// time.
	At int64 `json:"at,omitzero"`
}

// TaskFacts are what is known of a task besides its tools, by its latest request.
type TaskFacts struct {
	// Title is the beginning of its first message, on one line, or the name of the
	// gateway's client; absent where neither is known. It is the user's text: show it, never log it.
	Title string `json:"title,omitzero"`
	// ModelName is what people call the model that answers.
	ModelName string `json:"modelName,omitzero"`
	// AllListed is that of [ConversationRouteParams].
	AllListed bool `json:"allListed,omitzero"`
	// Sections are what the request holds besides MCP's tools.
	Sections []UsageSection `json:"sections,omitzero"`
}

// UsedTools counts the tools that a task's model has called, each once.
type UsedTools struct {
	Called int `json:"called"`
	// InHand of them were attached before the model asked for any.
	InHand int `json:"inHand"`
	// GroupCalls is how many groups of its client's own the model would have had
	// to open for them, by a call each; see [ClientTools].
	GroupCalls int `json:"groupCalls,omitzero"`
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
	// a later one. It holds each tool once more, and is there only when the
	// request asked for it by wantState.
	State *TaskState `json:"state,omitzero"`
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

// NamedTool is a tool that a model was told of by name alone.
type NamedTool struct {
	// Name is what the model was told.
	Name   string `json:"name"`
	Server string `json:"server"`
	Tool   string `json:"tool"`
	// About says in at most ten words what it is for; may be empty.
	About string `json:"about,omitzero"`
	// Answered: an answer of mcp_load named it, and not its description.
	Answered bool `json:"answered,omitzero"`
}

// AttachedCounts counts tools.
type AttachedCounts struct {
	// Scoped tools could be attached.
	Scoped int `json:"scoped"`
	// Attached tools are, of those; meta tools are not counted.
	Attached int `json:"attached"`
	// Kept tools are attached too, and could not be any more: a rule keeps them
	// out by now, or their server is gone. They stay for the prompt cache.
	Kept int `json:"kept,omitzero"`
	// Named tools are not attached, and the model knows their names.
	Named int `json:"named,omitzero"`
	// Native tools are the host's own.
	Native int `json:"native"`
}

// AttachedTokens is what tools cost, in o200k tokens.
type AttachedTokens struct {
	// All is the cost of every tool in scope: what a client that hides nothing
	// sends.
	All int `json:"all"`
	// Attached is the cost of the attached tools and the meta tools; Meta is that of
	// the meta tools alone.
	Attached int `json:"attached"`
	Meta     int `json:"meta,omitzero"`
	// Saved is All less Attached; negative when routing costs more.
	Saved int `json:"saved"`
	// Client is what the task's own client would send by itself, which may hide
	// tools too; All where it was not told (see [ClientTools]).
	Client int `json:"client"`
	// ClientSaved is Client less Attached; negative when routing costs more.
	ClientSaved int `json:"clientSaved"`
}

// ClientTools is what a client that hides tools by itself, such as VS Code,
// would send of MCP's without Winnow.
type ClientTools struct {
	// Visible names the tools of the source that it would send as they are.
	Visible []string `json:"visible"`
	// Groups stand for the others.
	Groups []ClientGroup `json:"groups,omitzero"`
	// Tokens is what all of it costs; the daemon counts it, with the tools of the
	// servers that it runs, as if the client ran them. Computed: there are such
	// tools, of which the client's groups are not known.
	Tokens   int  `json:"tokens,omitzero"`
	Computed bool `json:"computed,omitzero"`
}

// ClientGroup is a tool that a client sends in place of others. Its model has to
// call it before it can call one of them.
type ClientGroup struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitzero"`
	InputSchema json.RawMessage `json:"inputSchema,omitzero"`
	// Hides names the tools of the source that it stands for.
	Hides []string `json:"hides,omitzero"`
}

// TaskState is a task that can be saved and restored. Hosts keep it as it is
// and never look inside.
type TaskState struct {
	Version   int            `json:"version"`
	Task      string         `json:"task"`
	Source    string         `json:"source"`
	Mode      string         `json:"mode"`
	ModeAsked string         `json:"modeAsked"`
	Routing   AttachmentMode `json:"routing"`
	Turn      int            `json:"turn"`
	Window    int            `json:"window"`
	// SubjectAt is the first message of the window that says what it is about; 0
	// for none. ChosenBy is the setting that said how many tools the latest
	// message attached.
	SubjectAt   int            `json:"subjectAt,omitzero"`
	ChosenBy    string         `json:"chosenBy,omitzero"`
	Generation  int64          `json:"generation"`
	LoadOffered bool           `json:"loadOffered"`
	Model       ModelLimits    `json:"model"`
	Choices     TaskChoices    `json:"choices"`
	Tools       []AttachedTool `json:"tools"`
	Called      []ToolRef      `json:"called"`
	// Named are the tools that the model was told of by name alone.
	Named []NamedTool `json:"named,omitzero"`
	// Index describes the servers to a model that searches and calls; it is
	// written once. Shown are the tools whose schema the model has seen.
	Index string      `json:"index,omitzero"`
	Shown []ShownTool `json:"shown,omitzero"`
	// Client is what the task's client would send by itself.
	Client *ClientTools `json:"client,omitzero"`
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
