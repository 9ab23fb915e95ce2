package protocol

// Cause says as data why a server waits, or why a tool is out of scope or not
// attached: the code that shows it words it, and the code that decides by it compares the
// kind.
type Cause struct {
	Kind CauseKind `json:"kind"`
	// Owner names what the cause stands in or comes from: a server, a mode's
	// slug, or a file.
	Owner string `json:"owner,omitzero"`
	// Key is the member of the owner's entry, or the setting with `winnow.`.
	Key string `json:"key,omitzero"`
	// Text is what the kinds cannot say: the problem with an entry.
	Text string `json:"text,omitzero"`
}

// CauseKind is what kind of a [Cause] it is.
type CauseKind string

// The values of [CauseKind].
const (
	// CauseServer: Key in the entry of the server Owner keeps the tool out of
	// scope: `disabled`, `onlyAllow` or `disabledTools`.
	CauseServer CauseKind = "server"
	// CauseMode: Key of the mode Owner keeps the server out of scope:
	// `groups`, `allowedMcpServers` or `blockedMcpServers`.
	CauseMode CauseKind = "mode"
	// CauseStopped: the user has stopped the server Owner.
	CauseStopped CauseKind = "stopped"
	// CauseTask: the user has switched the tool off for this task.
	CauseTask CauseKind = "task"
	// CauseExcluded: the server Owner itself keeps the tool back for this
	// message, by its gating tool.
	CauseExcluded CauseKind = "excluded"
	// CauseDispatch: by the setting Key no tool is attached; mcp_call runs it.
	CauseDispatch CauseKind = "dispatch"
	// CauseLate: the tool came after the turn began.
	CauseLate CauseKind = "late"
	// CauseLimit: the request holds as many tools as the setting Key or the
	// model allows.
	CauseLimit CauseKind = "limit"
	// CauseBudget: the tool costs more tokens than the setting Key leaves.
	CauseBudget CauseKind = "budget"
	// CauseFrozen: by the setting Key no message adds tools now; mcp_load attaches
	// it.
	CauseFrozen CauseKind = "frozen"
	// CauseRank: the tool is not among as many of the best as the setting Key
	// says.
	CauseRank CauseKind = "rank"
	// CauseNamed: the tool is not among as many of the best as the setting Key
	// says, and the model knows its name: mcp_load attaches it.
	CauseNamed CauseKind = "named"
	// CauseGone: the server no longer offers the tool.
	CauseGone CauseKind = "gone"
	// CauseChanged: the server Owner says something else of the tool than is
	// locked, and that is not approved.
	CauseChanged CauseKind = "changed"
	// CauseUnlisted: the setting Key lets only what is approved or listed in the
	// workspace's lock through, and the tool of the server Owner is neither.
	CauseUnlisted CauseKind = "unlisted"
	// CauseDamagedLock: what was locked of the server Owner cannot be read.
	CauseDamagedLock CauseKind = "damagedLock"

	// CauseStart: the server starts when the host takes requests.
	CauseStart CauseKind = "start"
	// CauseTrust: the server waits until the workspace is trusted.
	CauseTrust CauseKind = "trust"
	// CauseConsent: the server waits for the user's consent to what the file
	// Owner starts.
	CauseConsent CauseKind = "consent"
	// CauseRedefined: the file Owner starts something else now than the user has
	// consented to.
	CauseRedefined CauseKind = "redefined"
	// CauseDeclined: the user declined to run the server of the file Owner.
	CauseDeclined CauseKind = "declined"
	// CauseItself: the server is Winnow itself, for other clients.
	CauseItself CauseKind = "itself"
	// CauseInvalid: the server's entry cannot be used; Text says why.
	CauseInvalid CauseKind = "invalid"
)
