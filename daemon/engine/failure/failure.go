// Package failure holds the errors that the engine itself finds: each has a
// kind by which callers tell it apart, a message, and the next step for the
// user. Errors of servers and of the router have types of their own. It does
// not know how any face tells its user of them.
package failure

import (
	"fmt"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// Error is an error that the engine found.
type Error struct {
	Kind    protocol.ErrorKind
	Message string
	// Data is what a face passes on; its own Kind is not looked at.
	Data protocol.ErrorData
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// New returns an error that tells the user what to do next.
func New(kind protocol.ErrorKind, next, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...), Data: protocol.ErrorData{Next: next}}
}

// SeeShape is the next step for params that cannot be used.
const SeeShape = "See the method's shape in protocol/."

// Invalid returns the error of params that cannot be used.
func Invalid(format string, args ...any) *Error {
	return New(protocol.KindInvalidParams, SeeShape, format, args...)
}

// OfServer returns the error with the server that it concerns.
func (e *Error) OfServer(name string) *Error {
	e.Data.Server = name
	return e
}

// OfTool returns the error with the tool that it concerns.
func (e *Error) OfTool(server, tool string) *Error {
	e.Data.Server, e.Data.Tool = server, tool
	return e
}

// InFile returns the error with the file that it concerns.
func (e *Error) InFile(path string) *Error {
	e.Data.File = path
	return e
}

// WithNext makes two sentences of a message and what to do about it.
func WithNext(message, next string) string {
	if message == "" || next == "" {
		return message
	}
	if strings.ContainsRune(".!?", rune(message[len(message)-1])) {
		return message + " " + next
	}
	return message + ". " + next
}
