package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// ErrSessionEnded means that an HTTP server no longer has the session. The request was
// not processed and may be sent again on a new one.
var ErrSessionEnded = errors.New("the server ended the session")

// ErrEndedUnderWay means that the session ended after the request was sent. The request
// may have been processed and must not be sent again.
var ErrEndedUnderWay = errors.New("the server ended the session while the request was under way; it is not known whether it took effect")

// TimeoutError is returned if a server did not respond within its time limit.
type TimeoutError struct {
	Server  string
	What    string
	Timeout time.Duration
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf(`MCP server %q: %s did not finish within %s`, e.Server, e.What, e.Timeout)
}

// RPCError is an error response of a server.
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

// SignInWanted means that a server requires an OAuth sign-in.
type SignInWanted struct {
	// Challenge holds the WWW-Authenticate headers of the refusal.
	Challenge []string
	Reason    string
}

func (e *SignInWanted) Error() string { return e.Reason }
