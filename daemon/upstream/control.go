package upstream

import (
	"context"
	"errors"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/upstream/process"
	"github.com/winnow-mcp/winnow/daemon/upstream/wire"
)

// Restart stops the server if it runs, and starts it. It also starts a server that was
// stopped, that waits for its next attempt, or that is lazy.
func (m *Manager) Restart(name string) error {
	s, err := m.lookup(name)
	if err != nil {
		return err
	}
	s.change(func(w *wants) {
		w.stopped, w.demand = false, true
		w.restarts++
	})
	return nil
}

// Relist reads the tools of the servers with a configuration's hash again, from the
// server or from its manifest; see [SharedManifests].
func (m *Manager) Relist(hash string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.servers {
		if w, _ := s.wanted(); w.hash != hash {
			continue
		}
		select {
		case s.again <- struct{}{}:
		default:
		}
	}
}

// States returns the state of the servers by the hash of their configuration; Ready, if
// one of several with the same hash is.
func (m *Manager) States() map[string]State {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := map[string]State{}
	for _, s := range m.servers {
		w, _ := s.wanted()
		if v := s.seen.Load(); v != nil && !w.removed && all[w.hash] != Ready {
			all[w.hash] = v.Status.State
		}
	}
	return all
}

// Stop stops the server until [Manager.Restart]. Its tools stay listed.
func (m *Manager) Stop(name string) error {
	s, err := m.lookup(name)
	if err != nil {
		return err
	}
	s.change(func(w *wants) { w.stopped, w.demand = true, false })
	return nil
}

// Log returns the last 64 KiB of the server's stderr, of its stdout outside the protocol,
// and of lines about its starts and exits. Secrets are removed.
func (m *Manager) Log(name string) (string, error) {
	s, err := m.lookup(name)
	if err != nil {
		return "", err
	}
	return s.redact.Log(strings.ToValidUTF8(s.log.String(), "\uFFFD")), nil
}

// Silent reports whether the server has printed nothing since its last start.
func (m *Manager) Silent(name string) bool {
	s := m.find(name)
	return s != nil && len(s.log.Lines()) == 0
}

// ProcessorTime returns the CPU time used by the processes of a starting server, in
// system ticks. It grows while they work, even if they print nothing, as in a download.
// It is 0 in any other state and on systems without the figure.
func (m *Manager) ProcessorTime(name string) uint64 {
	s := m.find(name)
	if s == nil || s.seen.Load().Status.State != Starting {
		return 0
	}
	return process.ProcessorTime(int(s.child.Load()))
}

// SignIn signs the user in to an HTTP server in the browser, and restarts the server. It
// blocks until that is done or ctx ends. Failures are returned as a [SignInError].
func (m *Manager) SignIn(ctx context.Context, name string) error {
	s, err := m.lookup(name)
	if err != nil {
		return err
	}
	w, _ := s.wanted()
	if w.cfg.Transport == wire.Stdio {
		return &SignInError{Server: name, Cause: errors.New("it is a local program, which knows no sign-in"),
			Next: "If it wants a key, give it one by `env` of its entry."}
	}
	if !s.signing.TryLock() {
		return &SignInError{Server: name, Cause: errors.New("a sign-in is already under way in the browser"),
			Next: "Finish it there, or cancel it in its notification."}
	}
	defer s.signing.Unlock()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(m.life, func() { cancel(ErrClosed) })
	defer stop()

	a := wire.Attempt{Config: w.cfg, Log: s.log, Redact: s.redact}
	if err := m.dialer.SignIn(ctx, a, s.lastChallenge()); err != nil {
		if errors.Is(err, context.Canceled) {
			err = context.Cause(ctx)
		}
		return &SignInError{Server: name, Cause: err, Next: "Sign in to the server again."}
	}
	s.useToken()
	return m.Restart(name)
}
