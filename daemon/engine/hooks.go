package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
)

// hooks returns the callbacks that connect the servers to the user.
func (e *Engine) hooks() upstream.Hooks {
	return upstream.Hooks{
		Input: func(ctx context.Context, server, id string) (string, error) {
			return e.Workspace.Input(ctx, server, id)
		},
		InputIsSecret: func(server, id string) bool {
			c := e.Workspace.Configuration()
			s, _ := c.Server(server)
			return c.Input(s, id).Password
		},
		Redirect: func(ctx context.Context, server, from, to string) error {
			return e.Workspace.Redirect(ctx, server, from, to)
		},
		SecretGet: e.host.Secret,
		SecretSet: e.host.SetSecret,
		OpenExternal: func(ctx context.Context, url string) error {
			if !e.host.Capabilities().OpenExternal {
				return errors.New("the host cannot open a browser; sign in from a host that can")
			}
			return e.host.OpenExternal(ctx, url)
		},
		ExternalURL: func(ctx context.Context, url string) (string, error) {
			reached, err := e.host.ExternalURL(ctx, url)
			if m, plain := plainAddress(reached); err == nil && plain {
				e.host.ShowMessage(m)
			}
			return reached, err
		},
		Announced: e.Announcements.tell,
	}
}

// slept notifies the user once that idle servers are stopped.
func (e *Engine) slept(server string) {
	if !e.Learned.Told.Once("servers sleep") {
		return
	}
	e.host.ShowMessage(protocol.ShowMessageParams{
		Type: protocol.MessageInfo, Server: server, Setting: "winnow.servers.start",
		Message: fmt.Sprintf("MCP server %q was stopped, because nothing has used it for %s. It starts again when one of its tools is called, as do others that keep no state.",
			server, minutes(e.Settings.Load().Servers.IdleMinutes)),
		Next: "To keep all servers running, set `winnow.servers.start` to `eager`.",
	})
}

func minutes(n int) string {
	if n == 1 {
		return "a minute"
	}
	return fmt.Sprintf("%d minutes", n)
}

// Announcements distributes servers' announcements to listeners.
type Announcements struct {
	// mu guards the following fields.
	mu        sync.Mutex
	listeners map[int]func(upstream.Announcement)
	last      int
}

// Listen calls f for each announcement until stop is called. Calls for one server are
// sequential, and f delays only that server's next announcements.
func (a *Announcements) Listen(f func(upstream.Announcement)) (stop func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.listeners == nil {
		a.listeners = map[int]func(upstream.Announcement){}
	}
	a.last++
	id := a.last
	a.listeners[id] = f
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.listeners, id)
	}
}

// tell distributes an announcement. It holds no lock meanwhile.
func (a *Announcements) tell(what upstream.Announcement) {
	a.mu.Lock()
	listeners := make([]func(upstream.Announcement), 0, len(a.listeners))
	for _, f := range a.listeners {
		listeners = append(listeners, f)
	}
	a.mu.Unlock()
	for _, f := range listeners {
		f(what)
	}
}
