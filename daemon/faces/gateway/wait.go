package gateway

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine/calls"
	"github.com/winnow-mcp/winnow/daemon/faces/gateway/mcpserver"
	"github.com/winnow-mcp/winnow/router"
)

// settleTime is how long after the gateway's start calls may wait for servers whose tools
// are unknown. quietTime is how long after the last server came up they wait for servers
// that neither print nor use the CPU. A hanging server costs this once; a server that
// downloads its program is busy.
const (
	settleTime = 10 * time.Second
	quietTime  = time.Second
)

// unknownTo returns the servers of UnknownServers that the task may have tools of.
func (s *session) unknownTo(v *router.View) []string {
	unknown := s.engine.UnknownServers()
	return slices.DeleteFunc(v.Unlisted(), func(name string) bool { return !slices.Contains(unknown, name) })
}

// awaitKnown delays a call that no known tool can answer: until the tool is known, no
// server is worth waiting for, or the settle time is over. It also delays a search that
// repeats the last one while the same servers are missing, because agents stop a model
// that repeats itself. A server is waited for in vain only once. It returns a note for
// the result of a search that lists the servers not searched.
func (s *session) awaitKnown(ctx context.Context, c mcpserver.Call) (note string) {
	for {
		changed := s.engine.Changes()
		v, t, err := s.serve(ctx)
		if err != nil {
			return ""
		}
		unknown := s.unknownTo(v)
		if len(unknown) == 0 {
			return ""
		}
		known, searches := calls.Answerable(v, &t, c.Name, c.Arguments)
		if !known || searches && slices.Equal(unknown, s.missedServers()) {
			if s.awaitChange(ctx, changed, unknown) {
				continue
			}
		}
		if searches {
			s.noteMissed(unknown)
			return fmt.Sprintf("[Not searched, because they are still starting: %s. Search again if you miss something of theirs.]",
				nameList(unknown))
		}
		return ""
	}
}

// noteHeld returns a note for the result of a search, or of a call of an unknown tool, that
// says which servers do not start without a person, and why: the model would else tell
// the person that there is no such tool. A session's searches say it once.
func (s *session) noteHeld(ctx context.Context, c mcpserver.Call) string {
	if s.face.held == nil {
		return ""
	}
	held := s.face.held()
	if len(held) == 0 {
		return ""
	}
	searches := c.Name == router.SearchName || c.Name == router.LoadName
	if !searches {
		v, t, err := s.serve(ctx)
		if err != nil {
			return ""
		}
		if known, _ := calls.Answerable(v, &t, c.Name, c.Arguments); known {
			return ""
		}
	}
	note := heldNote(held)
	s.mu.Lock()
	defer s.mu.Unlock()
	if searches && note == s.toldHeld {
		return ""
	}
	if searches && !s.client.Shared {
		s.toldHeld = note
	}
	return note
}

// heldNote lists servers that do not start, those with the same remedy together.
func heldNote(held []heldServer) string {
	var names []string
	var note strings.Builder
	for i, h := range held {
		names = append(names, h.name)
		if i+1 == len(held) || held[i+1].next != h.next {
			fmt.Fprintf(&note, "[Not started: %s. The cause: %s. Tell the user: %s]", nameList(names), h.why, h.next)
			names = nil
		}
	}
	return note.String()
}

// awaitChange waits for a change by one of the servers, and reports whether to look
// again. If they all have printed nothing and use no CPU, it waits only a moment after
// the last other server came up.
func (s *session) awaitChange(ctx context.Context, changed <-chan struct{}, unknown []string) bool {
	startup := &s.face.startup
	unknown = startup.notGivenUp(unknown)
	if len(unknown) == 0 {
		return false
	}
	var quiet <-chan time.Time
	if !slices.ContainsFunc(unknown, func(name string) bool { return !s.engine.Silent(name) }) {
		quiet = startup.quiet()
	}
	worked := s.processorTime(unknown)
	select {
	case <-changed:
		return true
	case <-quiet:
		if s.processorTime(unknown) > worked {
			startup.noteWork()
			return true
		}
	case <-startup.settled():
	case <-ctx.Done():
		return false
	}
	startup.giveUp(unknown)
	return false
}

// processorTime returns the sum of the servers' CPU time.
func (s *session) processorTime(servers []string) (sum uint64) {
	for _, name := range servers {
		sum += s.engine.ProcessorTime(name)
	}
	return sum
}

// missedServers returns the servers that the session's last search missed. It is empty in
// shared sessions.
func (s *session) missedServers() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.missed
}

func (s *session) noteMissed(servers []string) {
	if s.client.Shared {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.missed = servers
}

// nameList joins at most 10 names of servers.
func nameList(names []string) string {
	const most = 10
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
