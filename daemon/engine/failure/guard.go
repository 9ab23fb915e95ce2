package failure

import (
	"fmt"
	"runtime/debug"
)

// Guard converts a panic caused by a server's data into an error of that server. Use it
// in goroutines without another recover.
func Guard[T any](server string, f func() (T, error)) (T, error) {
	return guard(fmt.Sprintf("MCP server %q: internal error over what it sent", server), f)
}

// GuardAll converts a panic caused by servers' data into an error.
func GuardAll(f func()) error {
	_, err := guard("internal error over what a server sent", func() (struct{}, error) {
		f()
		return struct{}{}, nil
	})
	return err
}

// guard converts a panic into an error that begins with what.
func guard[T any](what string, f func() (T, error)) (result T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: %v\n%s", what, p, debug.Stack())
		}
	}()
	return f()
}
