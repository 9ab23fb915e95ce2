//go:build !linux

package upstream

import (
	"context"
	"errors"
	"os/exec"

	"github.com/winnow-mcp/winnow/protocol"
)

// sandboxes are none here.
type sandboxes struct{}

// command refuses: a server that is to run in a sandbox does not run without.
func (*sandboxes) command(context.Context, *exec.Cmd, *protocol.SandboxEntry) (*exec.Cmd, error) {
	return nil, &permanentError{
		err:  errors.New("there are sandboxes on Linux only"),
		next: `Take "sandbox" out of the entry: the server then has all the rights that you have.`,
	}
}
