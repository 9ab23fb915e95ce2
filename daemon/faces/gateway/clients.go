package gateway

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/protocol"
)

// clients holds the open sessions.
type clients struct {
	// mu guards what follows.
	mu   sync.Mutex
	open map[*session]struct{}
	// warned holds the names of clients about which the user was warned.
	warned map[string]bool
}

func newClients() clients {
	return clients{open: map[*session]struct{}{}, warned: map[string]bool{}}
}

func (c *clients) enter(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[s] = struct{}{}
}

func (c *clients) leave(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, s)
}

// all returns the open sessions.
func (c *clients) all() []*session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Keys(c.open))
}

// firstWarning marks a client as warned about, and reports whether it was not before.
func (c *clients) firstWarning(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.warned[name]
	c.warned[name] = true
	return !before
}

// tooMany returns the warning about a client with more tools than one request may have.
func tooMany(client string, warnings []string) protocol.ShowMessageParams {
	return protocol.ShowMessageParams{
		Type: protocol.MessageWarning, Setting: "winnow.gateway.mode",
		Message: clientName(client) + ": " + strings.Join(warnings, "; "),
		Next:    "Set winnow.gateway.mode to `auto`, unless the client and its model take that many.",
	}
}

// clientName returns the name of a client for the user, at most 60 characters. name is
// empty for clients without a session.
func clientName(name string) string {
	const most = 60
	text := []rune(strings.Join(strings.Fields(name), " "))
	if len(text) == 0 {
		return "An MCP client"
	}
	return `MCP client "` + string(text[:min(len(text), most)]) + `"`
}

func errOver() error {
	return failure.New(protocol.KindLifecycle, "Start a new daemon.", "the session is over")
}
