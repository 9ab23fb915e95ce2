package upstream

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// ErrClosed is returned by every method of a closed [Manager].
var ErrClosed = errors.New("the MCP servers are shut down")

// errSessionEnded says that an HTTP server has forgotten the session: the
// request was not processed and may be sent again on a new one.
var errSessionEnded = errors.New("the server ended the session")

// UnknownServerError is returned for a name that is not configured.
type UnknownServerError struct{ Server string }

func (e *UnknownServerError) Error() string {
	return fmt.Sprintf("no MCP server is named %q", e.Server)
}

// UnavailableError is returned when a server cannot be called, or was lost
// while a call was under way.
type UnavailableError struct {
	Server string
	State  State
	// Cause is why, free of secrets.
	Cause error
	// Next is what the user can do about it.
	Next string
	// RetryAt is when the server is started again; zero when it is not.
	RetryAt time.Time
}

func (e *UnavailableError) Error() string {
	text := fmt.Sprintf("MCP server %q is not available (%s)", e.Server, e.State)
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

func (e *UnavailableError) Unwrap() error { return e.Cause }

// TimeoutError is returned when a server did not answer in its own time limit.
type TimeoutError struct {
	Server  string
	What    string
	Timeout time.Duration
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf(`MCP server %q: %s did not finish within %s`, e.Server, e.What, e.Timeout)
}

// RPCError is an error that the server itself answered with.
type RPCError struct {
	Server  string
	What    string
	Code    int
	Message string
	Data    json.RawMessage
}

func (e *RPCError) Error() string {
	return fmt.Sprintf("MCP server %q: %s: %s (code %d)", e.Server, e.What, e.Message, e.Code)
}

// CallError is returned when a server was reached, and what came back is of no
// use.
type CallError struct {
	Server string
	// What was asked for, such as `tool "x"`.
	What string
	// Cause is why, free of secrets.
	Cause error
}

func (e *CallError) Error() string {
	return fmt.Sprintf("MCP server %q: %s: %v", e.Server, e.What, e.Cause)
}

func (e *CallError) Unwrap() error { return e.Cause }

// SignInError is returned when a sign-in that the user asked for did not come
// to its end.
type SignInError struct {
	Server string
	Cause  error
	// Next is what the user can do about it.
	Next string
}

func (e *SignInError) Error() string {
	return fmt.Sprintf("sign in to MCP server %q: %v", e.Server, e.Cause)
}

func (e *SignInError) Unwrap() error { return e.Cause }

// signInError says that a server wants an OAuth sign-in.
type signInError struct {
	// challenge holds the WWW-Authenticate headers of the refusal.
	challenge []string
	reason    string
}

func (e *signInError) Error() string { return e.reason }

// permanentError marks a failure that a repeated attempt cannot cure.
type permanentError struct {
	err  error
	next string
}

func (e *permanentError) Error() string { return e.err.Error() }
func (e *permanentError) Unwrap() error { return e.err }

// hintError carries the next step for the user beside a cause.
type hintError struct {
	err  error
	next string
}

func (e *hintError) Error() string { return e.err.Error() }
func (e *hintError) Unwrap() error { return e.err }
