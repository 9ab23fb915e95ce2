package wire

import (
	"context"
	"os/exec"
	"sync"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/winnow-mcp/winnow/daemon/holder"
	"github.com/winnow-mcp/winnow/daemon/upstream/process"
)

// lostChildren are the numbers of the held children that connections have lost,
// by server: a next attempt does not want the same.
type lostChildren struct {
	mu sync.Mutex
	of map[string]uint64
}

func (l *lostChildren) note(server string, child uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil {
		l.of = map[string]uint64{}
	}
	l.of[server] = child
}

func (l *lostChildren) last(server string) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.of[server]
}

// visit opens a connection to a child that the holder runs.
func (d *Dialer) visit(ctx context.Context, cmd *exec.Cmd, a Attempt, era Era) (*mcpConn, int, error) {
	spec := holder.Spec{Path: cmd.Path, Args: cmd.Args, Env: cmd.Env, Dir: cmd.Dir, Modern: era == EraModern}
	child, err := d.Holder.Open(ctx, spec, d.lost.last(a.Config.Name), a.Log)
	if err != nil {
		return nil, 0, err
	}
	c := newMCPConn(a.Config.Name, a.Log, a.Redact)
	in := newFrames(child.Stdout, a.Config.MaxMessageBytes, a.Log)
	t := transport.NewIO(in, childInput{child, func() {}, in.pending}, nil)
	c.use(t, era, d.ClientVersion)
	c.shut = func(g process.Grace, _ <-chan struct{}) {
		select {
		case <-c.gone:
			d.lost.note(a.Config.Name, child.ID)
		default:
		}
		// A gentle end is one that the user wants; at the end of the daemon the
		// child stays for others.
		child.Leave(g == process.GentleGrace())
		_ = t.Close()
	}
	c.spawn(func() {
		select {
		case <-child.Exited:
		case <-in.ended:
			<-child.Exited
		}
		c.Fail(deathError(child.ExitCause(), a.Log, c.redact))
	})
	return c, child.PID(), nil
}
