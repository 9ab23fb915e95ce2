// Package hosttest holds what tests of the engine (enginetest) and of the whole daemon
// (daemontest) share: a host's steps with servers and questions, and a log that can be
// waited for.
package hosttest

import (
	"slices"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// Patience is how long a test waits for an event. It is long, because only a failing test
// waits that long.
const Patience = 60 * time.Second

// Driver is a host that drives an engine or a daemon. Failures end the test.
type Driver interface {
	// Catalog returns the servers and tools that run.
	Catalog() protocol.CatalogListResult
	// Consent answers a question about a server.
	Consent(p protocol.ServerConsentParams)
	// Until waits until ok returns true. It calls ok after each change.
	Until(what string, ok func() bool)
}

// Steps holds a host's steps with the servers of its workspace.
type Steps struct {
	t      testing.TB
	driver Driver
}

// NewSteps returns the steps of a driver.
func NewSteps(t testing.TB, d Driver) Steps { return Steps{t, d} }

// Server returns one server; ok is false when there is none.
func (s Steps) Server(name string) (info protocol.ServerInfo, ok bool) {
	s.t.Helper()
	servers := s.driver.Catalog().Servers
	i := slices.IndexFunc(servers, func(s protocol.ServerInfo) bool { return s.Name == name })
	if i < 0 {
		return info, false
	}
	return servers[i], true
}

// UntilState waits until a server is in a state.
func (s Steps) UntilState(name string, state protocol.ServerState) protocol.ServerInfo {
	s.t.Helper()
	var info protocol.ServerInfo
	s.driver.Until("server "+name+" to be "+string(state), func() bool {
		var ok bool
		info, ok = s.Server(name)
		return ok && info.State == state
	})
	return info
}

// UntilReady waits for servers to be ready.
func (s Steps) UntilReady(servers configtest.Servers) {
	s.t.Helper()
	for name := range servers {
		s.UntilState(name, protocol.ServerReady)
	}
}

// Question waits for a question to the user about a server.
func (s Steps) Question(server string) protocol.ConsentQuestion {
	s.t.Helper()
	var found protocol.ConsentQuestion
	s.driver.Until("a question about server "+server, func() bool {
		for _, q := range s.driver.Catalog().Consents {
			if q.Server == server && !q.Declined {
				found = q
				return true
			}
		}
		return false
	})
	return found
}

// AllowWaiting allows the starts of all servers that wait now.
func (s Steps) AllowWaiting() {
	s.t.Helper()
	for _, q := range s.driver.Catalog().Consents {
		s.driver.Consent(protocol.ServerConsentParams{File: q.File, Server: q.Server, Allow: true})
	}
}

// Allow waits for questions to the user about servers, and allows their starts.
func (s Steps) Allow(servers ...string) {
	s.t.Helper()
	for _, server := range servers {
		q := s.Question(server)
		s.driver.Consent(protocol.ServerConsentParams{File: q.File, Server: server, Hash: q.Hash, Allow: true})
	}
}

// Tool returns the catalogue's data of the first tool with a name, or zero if there is
// none.
func (s Steps) Tool(name string) protocol.ToolInfo {
	s.t.Helper()
	tools := s.driver.Catalog().Tools
	i := slices.IndexFunc(tools, func(t protocol.ToolInfo) bool { return t.Tool == name })
	if i < 0 {
		return protocol.ToolInfo{}
	}
	return tools[i]
}

// Content returns the identifier of a server's current content.
func (s Steps) Content(server string) string {
	s.t.Helper()
	info, _ := s.Server(server)
	return info.Content
}

// UntilLocked waits until a server has a number of tools, one of them in a state of the
// lock. Meanwhile it allows the server's starts, which include its script.
func (s Steps) UntilLocked(server string, tools int, tool string, state protocol.LockState) {
	s.t.Helper()
	s.driver.Until(tool+" to be "+string(state), func() bool {
		s.AllowWaiting()
		n := 0
		for _, t := range s.driver.Catalog().Tools {
			if t.Server == server {
				n++
			}
		}
		return n == tools && s.Tool(tool).Lock == state
	})
}
