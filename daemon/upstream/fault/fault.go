package fault

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// Failure is a cause with the next step for the user.
type Failure struct {
	Err  error
	Next string
	// Missing is the environment variable that Err says is missing; empty where it
	// says of none.
	Missing string
	// Permanent: a retry cannot help.
	Permanent bool
}

func (e *Failure) Error() string { return e.Err.Error() }
func (e *Failure) Unwrap() error { return e.Err }

// Permanent reports whether err has a [Failure] that a retry cannot cure.
func Permanent(err error) bool {
	var failure *Failure
	return errors.As(err, &failure) && failure.Permanent
}

// Panic is a bug of Winnow's that was triggered by data of a server.
type Panic struct {
	Value any
	Stack []byte
}

func (e *Panic) Error() string {
	return fmt.Sprintf("internal error over what it sent: %v", e.Value)
}

// Recovered is deferred in every goroutine that reads data of a server. It passes a panic
// to failed as a [Panic].
func Recovered(failed func(error)) {
	if p := recover(); p != nil {
		failed(&Panic{Value: p, Stack: debug.Stack()})
	}
}
