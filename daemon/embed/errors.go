package embed

import (
	"errors"
	"fmt"
	"time"
)

// Kind classifies a provider's failure by what can be done about it.
type Kind string

// The kinds of failure.
const (
	// Auth: the key is missing or refused. Only the user can help.
	Auth Kind = "auth"
	// Quota: too many requests, or no credit. Time or money helps.
	Quota Kind = "quota"
	// Rejected: the request itself is refused, for its model or its texts.
	Rejected Kind = "rejected"
	// Unavailable: no answer, or a server's fault. Time helps.
	Unavailable Kind = "unavailable"
	// Garbled: an answer that is not what the API promises.
	Garbled Kind = "garbled"
	// Dimension: vectors of another dimension than asked for.
	Dimension Kind = "dimension"
)

// advice is the user's next step for each kind.
var advice = map[Kind]string{
	Auth:        "set a valid API key for this provider",
	Quota:       "wait, or check the account's limits and credit",
	Rejected:    "check winnow.embeddings.model",
	Unavailable: "check that winnow.embeddings.url is right and the server runs",
	Garbled:     "check that winnow.embeddings.url speaks this provider's API",
	Dimension:   "remove winnow.embeddings.dimensions, or choose one the model offers",
}

// Error is a provider's failure. Its text names provider, address, cause and
// next step, and never holds the key.
type Error struct {
	Provider string
	Endpoint string
	Kind     Kind
	// Status is the HTTP status, 0 if there was no response.
	Status int
	// RetryAfter is the pause requested by the provider; 0 if it requested none.
	RetryAfter time.Duration
	// Cause says what went wrong, without secrets.
	Cause string
	// err keeps a cancelled context recognisable to errors.Is.
	err error
}

// Error returns what failed and the next step.
func (e *Error) Error() string {
	status := ""
	if e.Status != 0 {
		status = fmt.Sprintf("HTTP %d: ", e.Status)
	}
	return fmt.Sprintf("embeddings by %s (%s): %s%s; %s", e.Provider, e.Endpoint, status, e.Cause, advice[e.Kind])
}

// Unwrap returns the cancelled or expired context's error, if that was it.
func (e *Error) Unwrap() error { return e.err }

// kindOf returns the kind of a provider's failure; Unavailable if it has none.
func kindOf(err error) Kind {
	if failure, ok := errors.AsType[*Error](err); ok {
		return failure.Kind
	}
	return Unavailable
}

// retryAfter returns the pause requested by the provider.
func retryAfter(err error) time.Duration {
	if failure, ok := errors.AsType[*Error](err); ok {
		return failure.RetryAfter
	}
	return 0
}
