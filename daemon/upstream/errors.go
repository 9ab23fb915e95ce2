package upstream

import (
	"errors"
	"fmt"
	"time"
)

// ErrClosed is returned by the methods of a closed [Manager].
var ErrClosed = errors.New("the MCP servers are shut down")

// UnknownServerError is returned for a name that is not configured.
type UnknownServerError struct{ Server string }

func (e *UnknownServerError) Error() string {
	return fmt.Sprintf("no MCP server is named %q", e.Server)
}

// UnavailableError is returned if a server cannot be called, or was lost during a call.
type UnavailableError struct {
	Server string
	State  State
	// Cause is the reason, free of secrets.
	Cause error
	// Next is what the user can do about it.
	Next string
	// RetryAt is when the server is started again; zero if it is not.
	RetryAt time.Time
}

func (e *UnavailableError) Error() string {
	text := fmt.Sprintf("MCP server %q ", e.Server)
	if e.Cause != nil {
		return text + "is not available: " + e.Cause.Error()
	}
	switch e.State {
	case Stopped:
		return text + "is stopped"
	case Disabled:
		return text + "is switched off"
	case SignedOut:
		return text + "is signed out"
	case Starting:
		return text + "is starting"
	case Configured, Known:
		return text + "has not been started"
	case Failed:
		return text + "has failed"
	}
	return text + "is not available"
}

func (e *UnavailableError) Unwrap() error { return e.Cause }

// CallError is returned if a server was reached and its response is of no use.
type CallError struct {
	Server string
	// What was asked for, such as `tool "x"`.
	What string
	// Cause is the reason, free of secrets.
	Cause error
}

func (e *CallError) Error() string {
	return fmt.Sprintf("MCP server %q: %s: %v", e.Server, e.What, e.Cause)
}

func (e *CallError) Unwrap() error { return e.Cause }

// SignInError is returned if a requested sign-in did not complete.
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
