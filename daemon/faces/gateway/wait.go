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

// settleTime is how long after its start the gateway lets a call wait for
// servers whose tools are unknown, quietTime how long after the last server came
// up for those that print nothing and do nothing. A server that hangs costs that
// once; one that downloads its program is busy.
const (
	settleTime = 10 * time.Second
	quietTime  = time.Second
)

// unknownTo names the servers of UnknownServers that the task may have tools of.
func (s *session) unknownTo(v *router.View) []string {
	unknown := s.engine.UnknownServers()
	return slices.DeleteFunc(v.Unlisted(), func(name string) bool { return !slices.Contains(unknown, name) })
}

// awaitKnown lets a call wait that nothing known can answer, as long as it makes
// sense: until the tool is there, no server is to be waited for, or the
// gateway's time to settle is over. A search that comes again, while no server
// has come up that the last one missed, is one that nothing known can answer:
// agents end a model that asks the same in a loop. A server that was waited for
// and missed is not waited for again. It returns what to add to the answer of a
// search about servers that were not searched.
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

// awaitChange waits for a change that one of the servers may make, and reports
// whether there is to be another look. Those of them that have printed nothing, and
// do nothing, are waited for only for a moment after the last other server came up.
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

// processorTime sums what servers have used of the processor.
func (s *session) processorTime(servers []string) (sum uint64) {
	for _, name := range servers {
		sum += s.engine.ProcessorTime(name)
	}
	return sum
}

// missedServers are those that the session's last search was told to have
// missed; none where its searches are those of many clients.
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

// nameList lists names of servers, in bounded length.
func nameList(names []string) string {
	const most = 10
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
