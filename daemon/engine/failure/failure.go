// Package failure defines the form of errors in the engine: the kind, by which callers
// distinguish them, the owner, the cause, and the next step. Errors of servers and of the
// router have their own types, which the engine's Describe converts. The texts name what
// a person sees and no request of a wire protocol. Each face joins them into a sentence
// and adds what its callers can do.
package failure

import (
	"fmt"

	"github.com/winnow-mcp/winnow/protocol"
)

// Error is an error of the engine.
type Error struct {
	Kind  protocol.ErrorKind
	Owner Owner
	// Cause says what is wrong, without the next step.
	Cause string
	// Rule is the scope rule that refused; nil if none did.
	Rule *protocol.Cause
	// Next says what can be done, in complete sentences; may be empty.
	Next string
}

// Owner is what an error concerns; fields that do not apply are empty.
type Owner struct{ Server, Tool, File string }

// Error returns the cause.
func (e *Error) Error() string { return e.Cause }

// Sentence joins the cause and the next step, for a person or a model.
func (e *Error) Sentence() string { return protocol.WithNext(e.Cause, e.Next) }

// Data returns the error in its protocol form.
func (e *Error) Data() protocol.ErrorData {
	return protocol.ErrorData{
		Kind: e.Kind, Server: e.Owner.Server, Tool: e.Owner.Tool, File: e.Owner.File, Cause: e.Rule, Next: e.Next,
	}
}

// New returns an error with a next step.
func New(kind protocol.ErrorKind, next, format string, args ...any) *Error {
	return &Error{Kind: kind, Cause: fmt.Sprintf(format, args...), Next: next}
}

// Invalid returns the error of an invalid request. The face adds the expected form.
func Invalid(format string, args ...any) *Error {
	return New(protocol.KindInvalidParams, "", format, args...)
}

// OfServer returns the error with the server that it concerns.
func (e *Error) OfServer(name string) *Error {
	e.Owner.Server = name
	return e
}

// OfTool returns the error with the tool that it concerns.
func (e *Error) OfTool(server, tool string) *Error {
	e.Owner.Server, e.Owner.Tool = server, tool
	return e
}

// InFile returns the error with the file that it concerns.
func (e *Error) InFile(path string) *Error {
	e.Owner.File = path
	return e
}
