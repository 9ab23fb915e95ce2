package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/winnow-mcp/winnow/daemon/principal"
)

// Kind is what an entry tells of.
type Kind string

// The values of [Kind].
const (
	// Call: a tool of a server was called, or a call of one was refused.
	Call Kind = "call"
	// Consent: a person let a server start, or did not.
	Consent Kind = "consent"
	// Approval: a person approved or rejected what a server says of its tools.
	Approval Kind = "approval"
	// Lost: so many entries could not be written; Detail has the number.
	Lost Kind = "lost"
)

// The values of [Entry.Outcome] of a call.
const (
	OK = "ok"
	// Errored: the tool says that it failed.
	Errored = "error"
	// Failed: there was no answer.
	Failed    = "failed"
	Refused   = "refused"
	Cancelled = "cancelled"
	// Answered: a tool that the client ran has answered. Whether it says that it
	// failed is not known.
	Answered = "answered"
	// Skipped: the client's user did not let it run.
	Skipped = "skipped"
	// Intent: the call is about to be made. Another line with the same ID has its
	// outcome. Readers are given [Unknown] where there is no such line.
	Intent = "intent"
	// Unknown: the call may still run, or its process ended before it did.
	Unknown = "unknown"
)

// The values of [Entry.Had].
const (
	// HadFull: its requests carried it, or it was called before in its task.
	HadFull = "full"
	// HadName: the model knew its name, and asked for it.
	HadName = "name"
	// HadFound: the model searched for it.
	HadFound = "found"
)

// RunByHost in [Entry.RunBy]: the client ran the tool, not winnowd.
const RunByHost = "host"

// Entry is one line of the record. Fields that do not apply are empty.
type Entry struct {
	// ID is shared by the line of a call's intent and the line of its outcome,
	// which is complete without the first. Calls of tools that only read have
	// neither.
	ID string `json:"id,omitzero"`
	// Time is when it began. The zero time is that of [Journal.Record].
	Time time.Time `json:"time"`
	Kind Kind      `json:"kind"`
	// Principal is on whose behalf it was done; entries of older versions have
	// none, and are [principal.Local]'s.
	Principal principal.Principal `json:"principal,omitzero"`
	// Client is the program on whose behalf it was done, as it calls itself.
	Client string `json:"client,omitzero"`
	// Task is the id of the task.
	Task   string `json:"task,omitzero"`
	Server string `json:"server,omitzero"`
	Tool   string `json:"tool,omitzero"`
	// ArgumentsHash is [Hash] of the arguments.
	ArgumentsHash string `json:"argumentsHash,omitzero"`
	// Arguments is their text, kept only where the user's settings say so.
	Arguments json.RawMessage `json:"arguments,omitzero"`
	// From are the tools of which results were passed on in the arguments without
	// being read by the model, as `server/tool`; the hash is that of the whole.
	From []string `json:"from,omitzero"`
	// Had is how the model had the tool: [HadFull] and the others; empty in entries
	// of older versions, and where it is unknown.
	Had string `json:"had,omitzero"`
	// RunBy is who ran the tool: empty is winnowd, [RunByHost] its client.
	RunBy string `json:"runBy,omitzero"`
	// Outcome is how it ended, in one word: of a call [OK] and the others.
	Outcome string `json:"outcome"`
	// DurationMs is how long it took, in milliseconds.
	DurationMs float64 `json:"durationMs,omitzero"`
	// By is who confirmed it: `user`, `alwaysAllow`, `readOnly`, `client` (which
	// asks on its own, or not), `flag` for a switch of the command line.
	By string `json:"by,omitzero"`
	// Detail is what else there is to say: why it failed, what was approved.
	Detail string `json:"detail,omitzero"`
}

// Hash identifies arguments without telling them: the beginning of their
// SHA-256, in hexadecimal.
func Hash(arguments []byte) string {
	sum := sha256.Sum256(arguments)
	return hex.EncodeToString(sum[:8])
}
