package upstream

import (
	"errors"
	"fmt"
	"time"
)

// ErrClosed is returned by every method of a closed [Manager].
var ErrClosed = errors.New("the MCP servers are shut down")

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
