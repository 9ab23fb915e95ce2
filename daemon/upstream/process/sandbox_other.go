//go:build !linux

package process

import (
	"context"
	"errors"
	"os/exec"

	"github.com/winnow-mcp/winnow/daemon/upstream/fault"
	"github.com/winnow-mcp/winnow/protocol"
)

// Sandboxes are not supported on this system.
type Sandboxes struct{}

// Command always fails: a server with a configured sandbox must not run without it.
func (*Sandboxes) Command(context.Context, *exec.Cmd, *protocol.SandboxEntry) (*exec.Cmd, error) {
	return nil, &fault.Failure{
		Permanent: true,
		Err:       errors.New("there are sandboxes on Linux only"),
		Next:      `Take "sandbox" out of the entry: the server then has all the rights that you have.`,
	}
}
