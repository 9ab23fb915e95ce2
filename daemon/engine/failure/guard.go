package failure

import (
	"fmt"
	"runtime/debug"
)

// Guard turns a panic over what a server sent into an error of that server. It
// is for goroutines, on which nobody else does.
func Guard[T any](server string, f func() (T, error)) (result T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("MCP server %q: internal error over what it sent: %v\n%s", server, p, debug.Stack())
		}
	}()
	return f()
}
