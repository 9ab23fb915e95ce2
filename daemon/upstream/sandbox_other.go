//go:build !linux

package upstream

import (
	"errors"
	"os/exec"

	"github.com/winnow-mcp/winnow/protocol"
)

// sandboxed refuses: a server that is to run in a sandbox does not run without.
func sandboxed(*exec.Cmd, *protocol.SandboxEntry) (*exec.Cmd, error) {
	return nil, &permanentError{
		err:  errors.New("there are sandboxes on Linux only"),
		next: `Take "sandbox" out of the entry: the server then has all the rights that you have.`,
	}
}
