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

// Entry is one line of the record. Fields that do not apply are empty.
type Entry struct {
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
	// ID is that of a call which takes two entries: [Handed] when the host was
	// given it to run, and how it ended.
	ID string `json:"id,omitzero"`
	// Outcome is how it ended, in one word: of a call `ok`, `error` (the tool
	// says so), `failed` (there was no answer), `refused` or `cancelled`; of one
	// that the host ran [Handed], `answered` (what a server says of an error is not
	// told from success), `failed`, `skipped` (by the user), `cancelled` or
	// `unknown`.
	Outcome string `json:"outcome"`
	// DurationMs is how long it took, in milliseconds.
	DurationMs float64 `json:"durationMs,omitzero"`
	// By is who confirmed it: `user`, `alwaysAllow`, `readOnly`, `client` (which
	// asks on its own, or not), `flag` for a switch of the command line.
	By string `json:"by,omitzero"`
	// Detail is what else there is to say: why it failed, what was approved.
	Detail string `json:"detail,omitzero"`
}

// Handed is the outcome of a call that a host was given to run and that has not
// ended.
const Handed = "handed"

// Hash identifies arguments without telling them: the beginning of their
// SHA-256, in hexadecimal.
func Hash(arguments []byte) string {
	sum := sha256.Sum256(arguments)
	return hex.EncodeToString(sum[:8])
}
