package daemon

import (
	"encoding/json"
	"fmt"
	"runtime/debug"

	"github.com/winnow-mcp/winnow/daemon/ijson"
)

// normalize makes parts of a message I-JSON; those that are missing stay so.
func normalize(parts ...*json.RawMessage) error {
	for _, part := range parts {
		if len(*part) == 0 {
			continue
		}
		text, err := ijson.Normalize(*part)
		if err != nil {
			return err
		}
		*part = text
	}
	return nil
}

// guardServer turns a panic over what a server sent into an error of that
// server. It is for goroutines, on which nobody else does.
func guardServer[T any](server string, f func() (T, error)) (T, error) {
	return guard(fmt.Sprintf("MCP server %q: internal error over what it sent", server), f)
}

// guard turns a panic into an error that begins with what.
func guard[T any](what string, f func() (T, error)) (result T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: %v\n%s", what, p, debug.Stack())
		}
	}()
	return f()
}
