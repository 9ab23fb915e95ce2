package upstream

import (
	"fmt"
	"runtime/debug"
)

// panicError is a fault of ours that something which a server sent has shown.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string {
	return fmt.Sprintf("internal error over what it sent: %v", e.value)
}

// recovered is deferred in every goroutine that reads what a server sent. It
// turns a panic into an error of that server.
func recovered(failed func(error)) {
	if p := recover(); p != nil {
		failed(&panicError{value: p, stack: debug.Stack()})
	}
}
