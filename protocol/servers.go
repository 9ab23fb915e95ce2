package protocol

// ServerParams names a server that the daemon runs: server/restart,
// server/stop, server/signIn, server/log.
type ServerParams struct {
	Name string `json:"name"`
}

// ServerLogResult holds what a server wrote to stderr, and the stray lines of
// its stdout, the last 64 KiB: server/log.
type ServerLogResult struct {
	Text string `json:"text"`
}

// ServerWaitParams waits until no server is coming up, for a while: server/wait.
type ServerWaitParams struct {
	// Name is the server to wait for; empty waits for all of them. One that
	// would start at its first call is waited for by its name only.
	Name string `json:"name,omitzero"`
	// TimeoutMs is how long to wait; 0 tells how it is now.
	TimeoutMs int `json:"timeoutMs"`
}

// ServerWaitResult is how it is after the wait: server/wait.
type ServerWaitResult struct {
	Servers []ServerInfo `json:"servers"`
	// Starting names those that are still coming up.
	Starting []string `json:"starting"`
	// Unusable says, as Markdown, that no server has a tool that can be used, and
	// why; empty where one has. From faces that have a chat.
	Unusable string `json:"unusable,omitzero"`
}

// ServerConsentParams allows or forbids what a server of a file starts:
// server/consent.
type ServerConsentParams struct {
	// File is the path, as [ServerInfo] gives it.
	File string `json:"file"`
	// Server is the one that is meant. Without it all of the file's are: a yes is
	// to what they start now, a no also to those that the file gets.
	Server string `json:"server,omitzero"`
	// Hash is that of the [ConsentQuestion] that was answered; a yes to something
	// else is refused. Without it a yes is to what starts now.
	Hash  string `json:"hash,omitzero"`
	Allow bool   `json:"allow"`
}

// ConsentQuestion is a server that starts only after the user has agreed to what
// it starts: catalog/list.
type ConsentQuestion struct {
	Server string `json:"server"`
	// File and Line are where the entry is.
	File string `json:"file"`
	Line int    `json:"line,omitzero"`
	// Hash identifies what would start, for [ServerConsentParams].
	Hash string `json:"hash"`
	// Starts shows it in one line: a command line, or an address. Secrets are
	// hidden here and below. Empty with OnlyRules.
	Starts string `json:"starts"`
	// Parts show all of it, rules included.
	Parts []ConsentPart `json:"parts"`
	// Rules are what the entry lets happen, and needs a yes: tools that run
	// unasked, words that models see, tools that are always attached.
	Rules []ConsentPart `json:"rules,omitzero"`
	// OnlyRules: nothing starts by this entry that may not already; until the yes
	// its rules do not count.
	OnlyRules bool `json:"onlyRules,omitzero"`
	// OwnFile: it is in Winnow's own file of a trusted workspace, where it was
	// added or changed since the workspace was first trusted.
	OwnFile bool `json:"ownFile,omitzero"`
	// AllowedByFile: the user has allowed the file as a whole, in a version of
	// Winnow that asked so.
	AllowedByFile bool `json:"allowedByFile,omitzero"`
	// Declined: the user has said no; nothing is to be asked.
	Declined bool `json:"declined,omitzero"`
	// Changed: the user has agreed to something else under this name, and Changes
	// are how it differs.
	Changed bool            `json:"changed,omitzero"`
	Changes []ConsentChange `json:"changes,omitzero"`
	// Instead: another server of this name runs until the user agrees.
	Instead bool `json:"instead,omitzero"`
}

// ConsentPromptParams asks for the next question to the user:
// server/consentPrompt.
type ConsentPromptParams struct {
	// Asked are what the user was asked before, as in [ConsentPrompt].
	Asked []string `json:"asked,omitzero"`
	// Server and File ask about that one, whether or not the user was asked
	// before or has declined.
	Server string `json:"server,omitzero"`
	File   string `json:"file,omitzero"`
}

// ConsentPromptResult holds the question; absent where nothing is to be asked.
type ConsentPromptResult struct {
	Prompt *ConsentPrompt `json:"prompt,omitzero"`
}

// ConsentPrompt is a question as it is put: about servers that are new together,
// or about one that has changed.
type ConsentPrompt struct {
	Text string `json:"text"`
	// Asked name what is asked: another start of a server is another question.
	Asked []string `json:"asked"`
	// Answers are for each server that is shown, and for nothing else; a yes has
	// Allow set.
	Answers []ServerConsentParams `json:"answers"`
	// Choices show each of several servers, in the order of Answers, and Choose is
	// the title of the choice; absent for one.
	Choices []ConsentChoice `json:"choices,omitzero"`
	Choose  string          `json:"choose,omitzero"`
	// Show is the label of what shows the files or, where one has changed, Changes.
	Show    string          `json:"show"`
	Files   []string        `json:"files"`
	Changes *ConsentChanges `json:"changes,omitzero"`
}

// ConsentChoice is one of several servers that may be allowed.
type ConsentChoice struct {
	Label string `json:"label"`
	// Description is the file, Detail the whole command line or address and the
	// rules that need a yes.
	Description string `json:"description"`
	Detail      string `json:"detail"`
}

// ConsentChanges are what was allowed and what would start as texts to compare.
type ConsentChanges struct {
	Title  string `json:"title"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// ConsentPart is one thing about what would start, by the key of the entry.
type ConsentPart struct {
	Key  string `json:"key"`
	Text string `json:"text"`
}

// ConsentChange is a part that is not as the user has agreed to; Before or After
// is empty where the part was not there, or is not.
type ConsentChange struct {
	Key    string `json:"key"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// ServerSetEnabledParams writes a server's `disabled` to the file that defines
// it: server/setEnabled.
type ServerSetEnabledParams struct {
	Name    string `json:"name"`
	Enabled bool   `json:"enabled"`
}

// ToolSetEnabledParams writes a tool's switch to the file that defines its
// server: tool/setEnabled. Where `onlyAllow` is in force it is edited, else
// `disabledTools`. The tool may be named as its server or as the host names it;
// what is written is the server's own name. What says nothing any more goes
// from the file.
type ToolSetEnabledParams struct {
	Server  string `json:"server"`
	Tool    string `json:"tool"`
	Enabled bool   `json:"enabled"`
}

// ToolApproveParams writes a tool's `alwaysAllow`: tool/approve.
type ToolApproveParams struct {
	Server   string `json:"server"`
	Tool     string `json:"tool"`
	Approved bool   `json:"approved"`
}

// ToolSetAlwaysLoadParams writes `alwaysLoad`: tool/setAlwaysLoad. Without a
// tool it goes for the whole server.
type ToolSetAlwaysLoadParams struct {
	Server     string `json:"server"`
	Tool       string `json:"tool,omitzero"`
	AlwaysLoad bool   `json:"alwaysLoad"`
}

// ToolSetDescriptionParams writes a `toolDescriptionOverrides` entry:
// tool/setDescription. An empty description removes it.
type ToolSetDescriptionParams struct {
	Server      string `json:"server"`
	Tool        string `json:"tool"`
	Description string `json:"description,omitzero"`
}

// EditResult says what a method that edits a user's file did.
type EditResult struct {
	File string `json:"file"`
	// Changed is false when the file already said so.
	Changed bool `json:"changed"`
	// Edit takes the change back by edit/undo, as long as nothing else has
	// changed the file. Absent when nothing changed, and of an undo.
	Edit string `json:"edit,omitzero"`
	// By is what keeps the change from taking effect; absent where nothing does.
	By *EditObstacle `json:"by,omitzero"`
}

// EditObstacle is the entry of another file that keeps an edit from taking
// effect.
type EditObstacle struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	// Text says what it forbids.
	Text string `json:"text"`
}

// EditUndoParams gives a user's file the text that it had before an edit, and
// deletes one that the edit made: edit/undo. It is refused when the file has another text by now.
type EditUndoParams struct {
	// Edit is that of an [EditResult] of this session; the last few are known.
	Edit string `json:"edit"`
}

// ModeListResult lists the modes: mode/list.
type ModeListResult struct {
	Modes []ModeInfo `json:"modes"`
	// Current is the slug of the current mode; empty is none.
	Current string `json:"current"`
	// Report is the list for a chat's user, as Markdown; from faces that have a
	// chat.
	Report string `json:"report,omitzero"`
}

// ModeInfo describes a mode.
type ModeInfo struct {
	Slug        string `json:"slug"`
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
	// File and Line are where it is defined.
	File string `json:"file"`
	Line int    `json:"line,omitzero"`
	// AllowedMcpServers, when present, are the only servers of the mode, none
	// when empty.
	AllowedMcpServers *[]string `json:"allowedMcpServers,omitzero"`
	BlockedMcpServers []string  `json:"blockedMcpServers,omitzero"`
}

// ModeSetParams makes a mode the current one: mode/set. Empty is no mode. A
// running task keeps its policy until its next turn.
type ModeSetParams struct {
	Mode string `json:"mode"`
}

// ModeSetServerBlockedParams writes whether a mode sees a server, to the file
// that defines the mode: mode/setServerBlocked. Where `allowedMcpServers` is
// set it is edited, else `blockedMcpServers`. A mode of a file that is not
// Winnow's own is refused.
type ModeSetServerBlockedParams struct {
	Mode    string `json:"mode"`
	Server  string `json:"server"`
	Blocked bool   `json:"blocked"`
}
