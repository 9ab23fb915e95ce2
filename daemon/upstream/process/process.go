package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Grace is how long a child may take at each step of a stop. MCP prescribes the steps
// (lifecycle, "Shutdown", stdio): close the child's stdin, wait, send SIGTERM, wait,
// kill.
type Grace struct {
	// Input is the time after closing stdin.
	Input time.Duration
	// Term is the time after SIGTERM. Windows has no such step.
	Term time.Duration
}

// GentleGrace is for a restarted or removed server: some close a browser or write a file
// first.
func GentleGrace() Grace { return Grace{Input: 2 * time.Second, Term: 2 * time.Second} }

// PromptGrace is for the end of the daemon, which may take two seconds in all.
func PromptGrace() Grace { return Grace{Input: 500 * time.Millisecond, Term: 300 * time.Millisecond} }

// DrainTime is how long the output of an exited child is still read. A grandchild outside
// the group could keep the pipe open for ever.
const DrainTime = 250 * time.Millisecond

// Process is one child with its descendants. Stop ends it.
type Process struct {
	cmd    *exec.Cmd
	Stdin  *os.File
	Stdout *os.File
	stderr *os.File
	group  processGroup

	// Exited is closed when the child was reaped. exitErr is set before.
	Exited  chan struct{}
	exitErr error
	// Gone is closed when the descendants are gone too and all output was read or
	// abandoned.
	Gone chan struct{}

	closeInput sync.Once
}

// Start starts cmd in a process group of its own with pipes on all three streams. Its
// stderr is copied to log.
//
// The pipes are not exec.Cmd's, because Cmd.Wait would wait for every grandchild that
// inherited them.
func Start(cmd *exec.Cmd, log io.Writer) (*Process, error) {
	p := &Process{cmd: cmd, Exited: make(chan struct{}), Gone: make(chan struct{})}
	var theirs [3]*os.File
	closeAll := func(files ...*os.File) {
		for _, f := range files {
			if f != nil {
				_ = f.Close()
			}
		}
	}
	var err error
	if theirs[0], p.Stdin, err = os.Pipe(); err == nil {
		if p.Stdout, theirs[1], err = os.Pipe(); err == nil {
			p.stderr, theirs[2], err = os.Pipe()
		}
	}
	if err != nil {
		closeAll(theirs[0], theirs[1], theirs[2], p.Stdin, p.Stdout, p.stderr)
		return nil, fmt.Errorf("open pipes: %w", err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs[0], theirs[1], theirs[2]
	err = p.group.start(cmd)
	closeAll(theirs[:]...)
	if err != nil {
		closeAll(p.Stdin, p.Stdout, p.stderr)
		return nil, err
	}
	go p.wait(log)
	return p, nil
}

// PID returns the child's process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// wait reaps the child, kills its descendants and closes the pipes.
func (p *Process) wait(log io.Writer) {
	defer close(p.Gone)
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		// A small buffer, because it lives as long as the child; io.Copy's is large.
		_, _ = io.CopyBuffer(log, struct{ io.Reader }{p.stderr}, make([]byte, 2<<10))
	}()
	p.exitErr = p.cmd.Wait()
	close(p.Exited)
	p.group.noteOrphans()
	p.group.kill()
	p.group.release()

	timer := time.NewTimer(DrainTime)
	defer timer.Stop()
	select {
	case <-copied:
	case <-timer.C:
	}
	_ = p.stderr.Close()
	<-copied
	p.CloseStdin()
}

// Stop stops the child step by step and returns when it and its descendants are gone.
// Closing hurry shortens the remaining waits.
func (p *Process) Stop(g Grace, hurry <-chan struct{}) {
	p.group.note()
	p.CloseStdin()
	if !p.waitExit(g.Input, hurry) {
		p.group.note()
		p.group.terminate()
		p.waitExit(g.Term, hurry)
	}
	p.group.kill()
	<-p.Gone
	_ = p.Stdout.Close()
}

// waitExit waits up to d and reports whether the child exited. Once hurry is closed, it
// waits for a prompt grace only.
func (p *Process) waitExit(d time.Duration, hurry <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		select {
		case <-p.Exited:
			return true
		case <-timer.C:
			return false
		case <-hurry:
			hurry = nil
			timer.Reset(min(d, PromptGrace().Term))
		}
	}
}

func (p *Process) CloseStdin() {
	p.closeInput.Do(func() { _ = p.Stdin.Close() })
}

// ExitCause describes how the child ended, for the user.
func (p *Process) ExitCause() error {
	if p.exitErr == nil {
		return errors.New("it exited (code 0)")
	}
	return fmt.Errorf("it exited: %w", p.exitErr)
}
