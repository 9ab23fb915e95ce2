package fault

import (
	"fmt"
	"runtime/debug"
)

// Permanent marks a failure that a repeated attempt cannot cure.
type Permanent struct {
	Err  error
	Next string
}

func (e *Permanent) Error() string { return e.Err.Error() }
func (e *Permanent) Unwrap() error { return e.Err }

// Hint carries the next step for the user beside a cause.
type Hint struct {
	Err  error
	Next string
}

func (e *Hint) Error() string { return e.Err.Error() }
func (e *Hint) Unwrap() error { return e.Err }

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
