package wire

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"sync"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/winnow-mcp/winnow/daemon/holder"
	"github.com/winnow-mcp/winnow/daemon/upstream/process"
	"github.com/winnow-mcp/winnow/protocol"
)

// ErrHolderEnded is the cause of a connection lost because the holder ended, not the
// server.
var ErrHolderEnded = holder.ErrEnded

// visits holds the number of the last visited held child of each server.
type visits struct {
	mu sync.Mutex
	of map[string]uint64
}

func (v *visits) note(server string, child uint64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.of == nil {
		v.of = map[string]uint64{}
	}
	v.of[server] = child
}

func (v *visits) last(server string) uint64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.of[server]
}

// shares reports whether the holder runs the server's process.
func (d *Dialer) shares(s Sharing) bool {
	return d.Holder != nil && s.Idle > 0 && (s.With == protocol.ShareUser || s.With == protocol.ShareFolder)
}

// visit opens a connection to a child of the holder.
func (d *Dialer) visit(ctx context.Context, cmd *exec.Cmd, a Attempt, era Era) (*mcpConn, int, error) {
	sharing := a.Config.Sharing
	spec := holder.Spec{
		Name: a.Config.Name, Path: cmd.Path, Args: cmd.Args, CommandLine: process.CommandLine(cmd), Dir: cmd.Dir,
		Scope: sharing.Folders, Modern: era == EraModern,
	}
	if spec.Dir == "" {
		spec.Dir, _ = os.Getwd() // on an error the holder's own is used
	}
	spec.Env, spec.Ambient = process.Ambient(cmd.Env, d.HostEnv, a.Config.Env)
	child, err := d.Holder.Open(ctx, &holder.Wanted{
		Spec: spec, Client: d.Client, Not: d.visits.last(a.Config.Name), Fresh: a.Fresh, Idle: sharing.Idle,
	}, a.Log)
	if err != nil {
		return nil, 0, err
	}
	d.visits.note(a.Config.Name, child.ID)
	if a.Started != nil {
		a.Started(child.PID())
	}
	c := newMCPConn(a.Config.Name, a.Log, a.Redact)
	in := newFrames(child.Stdout, a.Config.MaxMessageBytes, a.Log)
	t := transport.NewIO(in, childInput{child, func() {}, in.pending}, nil)
	c.use(t, era, d.ClientVersion)
	c.shut = func(g process.Grace, _ <-chan struct{}) {
		// A gentle close is requested by the user. At the end of the daemon the child
		// stays for other clients.
		child.Leave(g == process.GentleGrace())
		_ = t.Close()
	}
	c.spawn(func() {
		select {
		case <-child.Exited:
		case <-in.ended:
			<-child.Exited
		}
		cause := child.ExitCause()
		if !errors.Is(cause, holder.ErrEnded) {
			cause = deathError(cause, a.Log, c.redact)
		}
		c.Fail(cause)
	})
	return c, child.PID(), nil
}
