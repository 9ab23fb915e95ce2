package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/winnow-mcp/winnow/daemon/principal"
)

// Kind is the kind of an entry.
type Kind string

// The values of [Kind].
const (
	// Call: a tool of a server was called, or a call of one was refused.
	Call Kind = "call"
	// Consent: a person let a server start, or did not.
	Consent Kind = "consent"
	// Approval: a person approved or rejected what a server says of its tools.
	Approval Kind = "approval"
	// Lost: entries could not be written; Detail has their number.
	Lost Kind = "lost"
)

// The values of [Entry.Outcome] of a call.
const (
	OK = "ok"
	// Errored: the tool reported an error.
	Errored = "error"
	// Failed: there was no response.
	Failed    = "failed"
	Refused   = "refused"
	Cancelled = "cancelled"
	// Answered: a tool that the client ran has answered. Whether it reported an error is
	// not known.
	Answered = "answered"
	// Skipped: the client's user did not allow it.
	Skipped = "skipped"
	// Intent: the call is about to be made. Another line with the same ID has its
	// outcome. Without one, readers get [Unknown].
	Intent = "intent"
	// Unknown: the call may still run, or its process ended first.
	Unknown = "unknown"
)

// The values of [Entry.Had].
const (
	// HadFull: its requests contained it, or it was called before in its task.
	HadFull = "full"
	// HadName: the model knew its name, and requested it.
	HadName = "name"
	// HadFound: the model searched for it.
	HadFound = "found"
)

// RunByHost is an [Entry.RunBy]: the client ran the tool, not winnowd.
const RunByHost = "host"

// Entry is one line of the record. Fields that do not apply are empty.
type Entry struct {
	// ID connects the lines of a call's intent and its outcome, which is complete without
	// the first. Calls of read-only tools have no intent, and no ID unless
	// [Options.Strict].
	ID string `json:"id,omitzero"`
	// Time is when it began. [Journal.Record] sets it if zero.
	Time time.Time `json:"time"`
	Kind Kind      `json:"kind"`
	// Principal is on whose behalf it was done; empty in entries of older versions, which
	// means [principal.Local].
	Principal principal.Principal `json:"principal,omitzero"`
	// Client is the program on whose behalf it was done, by its own name.
	Client string `json:"client,omitzero"`
	// Task is the id of the task.
	Task   string `json:"task,omitzero"`
	Server string `json:"server,omitzero"`
	Tool   string `json:"tool,omitzero"`
	// ArgumentsHash is [Hash] of the arguments.
	ArgumentsHash string `json:"argumentsHash,omitzero"`
	// Arguments is their text, present only if the user's settings say so.
	Arguments json.RawMessage `json:"arguments,omitzero"`
	// From holds the tools, as `server/tool`, whose results were passed on in the
	// arguments unread by the model; the hash is of the whole.
	From []string `json:"from,omitzero"`
	// Had is how the model knew the tool, such as [HadFull]; empty if unknown and in
	// entries of older versions.
	Had string `json:"had,omitzero"`
	// RunBy is who ran the tool: "" for winnowd, [RunByHost] for its client.
	RunBy string `json:"runBy,omitzero"`
	// Outcome is the result in one word, for a call [OK] and the others.
	Outcome string `json:"outcome"`
	// DurationMs is how long it took, in milliseconds.
	DurationMs float64 `json:"durationMs,omitzero"`
	// By is who confirmed it: `user`, `alwaysAllow`, `readOnly`, `client` (by its own
	// policy), or `flag` for a command line switch.
	By string `json:"by,omitzero"`
	// Detail is further information: why it failed, what was approved.
	Detail string `json:"detail,omitzero"`
	// Again reports that an append of it failed before. It is not stored.
	Again bool `json:"-"`
}

// Hash identifies arguments without revealing them: the beginning of their SHA-256, in
// hexadecimal.
func Hash(arguments []byte) string {
	sum := sha256.Sum256(arguments)
	return hex.EncodeToString(sum[:8])
}
