package protocol

// LockMode is what the lock on tools does.
type LockMode string

// The values of [LockMode].
const (
	// Nothing is compared, and no server's word counts for skipping a question.
	LockOff LockMode = "off"
	// What a server says first is recorded. Where it says something else later,
	// models are told what was recorded, and a tool whose parameters changed is
	// held back, until you have seen the difference. What a known server adds later
	// is named for review, and held back only where something is found in it.
	LockWarn LockMode = "warn"
	// Only what you approved, or what the lock file of the workspace lists, is
	// attached, found, loaded or called.
	LockEnforce LockMode = "enforce"
)

// LockModes returns every value of [LockMode].
func LockModes() []LockMode { return []LockMode{LockOff, LockWarn, LockEnforce} }

// LockState is what the lock says of something that a server offers.
type LockState string

// The values of [LockState].
const (
	// LockSeen: recorded at first sight; nobody has looked at it.
	LockSeen LockState = "seen"
	// LockApproved: somebody has approved of it as it is.
	LockApproved LockState = "approved"
	// LockChanged: its server says something else than was recorded.
	LockChanged LockState = "changed"
	// LockJoined: its server is known, and did not offer it before.
	LockJoined LockState = "joined"
	// LockUnlisted: nobody has approved of it, and `winnow.lock` is `enforce`.
	LockUnlisted LockState = "unlisted"
	// LockDamaged: what was recorded cannot be read.
	LockDamaged LockState = "damaged"
)

// LockKind is what kind of thing is locked.
type LockKind string

// The values of [LockKind].
const (
	LockTool         LockKind = "tool"
	LockPrompt       LockKind = "prompt"
	LockInstructions LockKind = "instructions"
	// LockResources is that a server offers resources or templates of them, whichever
	// they are: their lists grow by design.
	LockResources LockKind = "resources"
)

// LockPart is a part of a tool or prompt that can change.
type LockPart string

// The values of [LockPart].
const (
	LockTexts        LockPart = "texts"
	LockInputSchema  LockPart = "inputSchema"
	LockOutputSchema LockPart = "outputSchema"
	LockAnnotations  LockPart = "annotations"
	LockMeta         LockPart = "meta"
)

// LockListResult says what waits for the user: lock/list.
type LockListResult struct {
	Mode LockMode `json:"mode"`
	// Changes are by server, kind and name.
	Changes []LockChange `json:"changes"`
}

// LockRowsParams asks for what waits for the user as an editor shows it:
// lock/rows.
type LockRowsParams struct {
	// Server and Source, the list that it is in, restrict the answer to one
	// server, in all lists of its host; Tool to one tool of it.
	Source string `json:"source,omitzero"`
	Server string `json:"server,omitzero"`
	Tool   string `json:"tool,omitzero"`
	// Told are what the user was told of, as in [LockNews].
	Told []string `json:"told,omitzero"`
}

// LockRowsResult holds changes with what is shown of them.
type LockRowsResult struct {
	Changes []LockChangeRow `json:"changes"`
	// Servers are those with changes.
	Servers []LockServerRow `json:"servers"`
	// News are the changes that the user has neither answered nor been told of;
	// absent where there are none.
	News *LockNews `json:"news,omitzero"`
}

// LockChangeRow is a change with its row, whose description says what becomes of
// it and what matters in it.
type LockChangeRow struct {
	LockChange

	Row Row `json:"row"`
}

// LockServerRow is a server with changes, and its row.
type LockServerRow struct {
	// Answer approves of all that the server says now.
	Answer LockDecideParams `json:"answer"`
	Row    Row              `json:"row"`
}

// LockNews tells of changes in one sentence.
type LockNews struct {
	Text string `json:"text"`
	// Told name the changes: another content of the same thing is another one.
	Told []string `json:"told"`
}

// LockRef names something that is locked.
type LockRef struct {
	// Source is the host tool list that the server is in; empty for the daemon's
	// own servers.
	Source string   `json:"source,omitzero"`
	Server string   `json:"server"`
	Kind   LockKind `json:"kind"`
	// Name is a tool's or prompt's own; empty for instructions and resources.
	Name string `json:"name,omitzero"`
}

// LockChange is something that is not as it is locked.
type LockChange struct {
	LockRef

	// HostName is the host's name of a tool, where it is another.
	HostName string `json:"hostName,omitzero"`

	State LockState `json:"state"`
	// Held: models do not get it. Otherwise they are told what is locked.
	Held bool `json:"held,omitzero"`
	// Kept: the user has seen this change and keeps what is locked.
	Kept bool `json:"kept,omitzero"`
	// Parts are those that differ.
	Parts []LockPart `json:"parts,omitzero"`
	// Highlights are what matters in the difference, the weightiest first.
	Highlights []LockHighlight `json:"highlights,omitzero"`
	// Findings are what was found in something that joined; it is held back for
	// them.
	Findings []Finding `json:"findings,omitzero"`
	// Flagged: the difference speaks to the model, claims less harm, wants more, or
	// has findings. Who asks offers to keep what is locked first.
	Flagged bool `json:"flagged,omitzero"`
	// Content names what the server says now; an answer about it says so.
	Content string `json:"content"`
}

// LockHighlight is one thing that matters in a difference.
type LockHighlight struct {
	Kind LockHighlightKind `json:"kind"`
	// Name is that of the parameter or annotation.
	Name string `json:"name,omitzero"`
	// Text is the sentence that speaks to the model.
	Text string `json:"text,omitzero"`
}

// LockHighlightKind is what kind of a [LockHighlight] it is.
type LockHighlightKind string

// The values of [LockHighlightKind], the weightiest first.
const (
	// HighlightRequired: the parameter Name has to be given now, and had not to.
	HighlightRequired LockHighlightKind = "required"
	// HighlightAddresses: the sentence Text is new, and speaks to the model.
	HighlightAddresses LockHighlightKind = "addresses"
	// HighlightMilder: the annotation Name claims less harm than before.
	HighlightMilder LockHighlightKind = "milder"
	// HighlightAdded: the parameter Name is new.
	HighlightAdded LockHighlightKind = "added"
	// HighlightRemoved: the parameter Name is gone.
	HighlightRemoved LockHighlightKind = "removed"
	// HighlightRetyped: the parameter Name is described or typed otherwise.
	HighlightRetyped LockHighlightKind = "retyped"
)

// LockDiffResult holds both sides of a change as texts to compare: lock/diff.
// An empty side is not known.
type LockDiffResult struct {
	Before string `json:"before"`
	After  string `json:"after"`
}

// LockDecideParams is the user's answer about a change, or about all of a
// server: lock/approve, lock/keep.
type LockDecideParams struct {
	// Source is the host tool list that the server is in; empty for the daemon's
	// own servers.
	Source string `json:"source,omitzero"`
	Server string `json:"server"`
	// Kind and Name restrict the answer to one thing; empty is all of the server.
	Kind LockKind `json:"kind,omitzero"`
	Name string   `json:"name,omitzero"`
	// Content names what the user was shown: that of a [LockChange], a [ToolInfo]
	// or, about all of a server, a [ServerInfo]. Where the server says something
	// else by now, the answer is refused as [KindContentModified].
	Content string `json:"content"`
}

// LockDecideResult says what an answer did.
type LockDecideResult struct {
	// Count is of how many things it was: tools, prompts, the instructions, and that
	// there are resources.
	Count        int  `json:"count"`
	Tools        int  `json:"tools,omitzero"`
	Prompts      int  `json:"prompts,omitzero"`
	Instructions bool `json:"instructions,omitzero"`
	Resources    bool `json:"resources,omitzero"`
	// Undo takes the answer back by lock/undo; absent when it changed nothing.
	Undo string `json:"undo,omitzero"`
	// Text says so to people; absent of an undo.
	Text string `json:"text,omitzero"`
}

// LockUndoParams takes an answer back: lock/undo.
type LockUndoParams struct {
	// Undo is that of a [LockDecideResult] of this session; the last few are
	// known.
	Undo string `json:"undo"`
}

// Finding is something about a tool that a person should look at. It is a hint:
// harmless tools have some, and harmful ones may have none.
type Finding struct {
	Kind FindingKind `json:"kind"`
	// Text is the sentence or name that it is about, as it stands there.
	Text string `json:"text"`
	// Where it stands: `name`, `title`, `description`, or a parameter's name.
	Where string `json:"where,omitzero"`
	// Other is the tool or server that is named, or that it looks like.
	Other string `json:"other,omitzero"`
}

// FindingKind is what kind of a [Finding] it is.
type FindingKind string

// The values of [FindingKind].
const (
	// FindingAddresses: the sentence speaks to the model, not about the tool.
	FindingAddresses FindingKind = "addresses"
	// FindingOtherTool: the sentence is about Other, a tool of another server.
	FindingOtherTool FindingKind = "otherTool"
	// FindingHidden: the text holds characters that nobody sees.
	FindingHidden FindingKind = "hidden"
	// FindingLookalikeTool: the name looks like Other, a tool of another server.
	FindingLookalikeTool FindingKind = "lookalikeTool"
	// FindingLookalikeServer: the server's name looks like Other, another one.
	FindingLookalikeServer FindingKind = "lookalikeServer"
	// FindingReadOnlyName: the tool claims that it only reads, and its name says
	// that it changes something.
	FindingReadOnlyName FindingKind = "readOnlyName"
)
