package protocol

// Exclusion is what keeps a tool out of a task, as data: programs compare its
// kind, and people read the sentence that is made of it. The zero value keeps
// nothing out.
type Exclusion struct {
	Kind ExclusionKind `json:"kind"`
	// Owner is the server or the mode that Kind speaks of.
	Owner string `json:"owner,omitzero"`
	// Key is what decides: a key of the owner's entry, or the name of a setting
	// with `winnow.`.
	Key string `json:"key,omitzero"`
}

// ExclusionKind is what kind of thing keeps a tool out.
type ExclusionKind string

// The values of [ExclusionKind].
const (
	// ExcludedByServer: Key in the entry of server Owner keeps out all that the
	// server offers.
	ExcludedByServer ExclusionKind = "server"
	// ExcludedByTool: Key in the entry of server Owner keeps out this tool.
	ExcludedByTool ExclusionKind = "tool"
	// ExcludedByMode: Key of mode Owner keeps out the tool's server.
	ExcludedByMode ExclusionKind = "mode"
	// ExcludedByTask: the user decided so for this task.
	ExcludedByTask ExclusionKind = "task"
	// ExcludedByGating: server Owner keeps its tool back for this message.
	ExcludedByGating ExclusionKind = "gating"
	// ExcludedByStrategy: setting Key has a model search and call.
	ExcludedByStrategy ExclusionKind = "strategy"
	// ExcludedByLimit: setting Key, or the model's own limit, is reached.
	ExcludedByLimit ExclusionKind = "limit"
	// ExcludedByWindow: the turns of setting Key are over.
	ExcludedByWindow ExclusionKind = "window"
	// ExcludedByRank: others are among the best that setting Key counts.
	ExcludedByRank ExclusionKind = "rank"
	// ExcludedAsNew: the tool came after this turn began.
	ExcludedAsNew ExclusionKind = "new"
	// ExcludedAsGone: the server no longer offers the tool.
	ExcludedAsGone ExclusionKind = "gone"
)
