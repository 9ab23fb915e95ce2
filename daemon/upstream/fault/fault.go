package fault

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// Failure is a cause with the next step for the user beside it.
type Failure struct {
	Err  error
	Next string
	// Missing is the environment variable that Err says is missing; empty where it
	// says of none.
	Missing string
	// Permanent: a repeated attempt cannot cure it.
	Permanent bool
}

func (e *Failure) Error() string { return e.Err.Error() }
func (e *Failure) Unwrap() error { return e.Err }

// Permanent reports whether a repeated attempt cannot cure a failure.
func Permanent(err error) bool {
	var failure *Failure
	return errors.As(err, &failure) && failure.Permanent
}

// Panic is a fault of ours that something which a server sent has shown.
type Panic struct {
	Value any
	Stack []byte
}

func (e *Panic) Error() string {
	return fmt.Sprintf("internal error over what it sent: %v", e.Value)
}

// Recovered is deferred in every goroutine that reads what a server sent. It
// turns a panic into an error of that server.
func Recovered(failed func(error)) {
	if p := recover(); p != nil {
		failed(&Panic{Value: p, Stack: debug.Stack()})
	}
}
