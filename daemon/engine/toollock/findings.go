package toollock

import (
	"bytes"
	"encoding/json"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/winnow-mcp/winnow/daemon/trust/scan"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// Scanner finds what a person should review in servers' content. It scans each version
// once. It is not safe for concurrent use.
type Scanner struct {
	// tools holds the scanned tools of each server, in order.
	tools map[string][]scanned
	// findings holds the findings of each server's tools, compared with all other tools.
	findings map[string]map[string][]protocol.Finding
}

// scanned is a tool with the findings in it alone.
type scanned struct {
	raw json.RawMessage
	scan.Said
}

// Annotate adds findings to the locks of servers' tools. It skips servers without locks,
// as all are while the lock is off.
func (s *Scanner) Annotate(servers []router.ServerInput) {
	next, same := map[string][]scanned{}, true
	for i, r := range s.rescanAll(servers) {
		if in := &servers[i]; in.Locks != nil {
			next[in.Name], same = r.tools, same && r.same
		}
	}
	if !same || len(next) != len(s.tools) {
		s.findings = beside(next)
	}
	s.tools = next
	for i := range servers {
		in := &servers[i]
		found := s.findings[in.Name]
		if in.Locks == nil || len(found) == 0 {
			continue
		}
		in.Locks = maps.Clone(in.Locks) // the map belongs to the keeper
		for name, findings := range found {
			tool := in.Locks[name]
			tool.Findings = findings
			in.Locks[name] = tool
		}
	}
}

// beside returns the findings of comparing tools, by server and name.
func beside(tools map[string][]scanned) map[string]map[string][]protocol.Finding {
	names := map[string][]string{}
	for server, of := range tools {
		for i := range of {
			names[server] = append(names[server], of[i].Name)
		}
	}
	together := scan.NewNames(names)
	all := map[string]map[string][]protocol.Finding{}
	for server, of := range tools {
		all[server] = map[string][]protocol.Finding{}
		for i := range of {
			one := &of[i]
			if found := slices.Concat(one.Findings, together.Findings(server, one.Name, one.Mentions)); len(found) > 0 {
				all[server][one.Name] = found
			}
		}
	}
	return all
}

// rescanned is the result of [rescan] for a server.
type rescanned struct {
	tools []scanned
	same  bool
}

// rescanAll scans the tools of the servers with locks on all processors, because a host
// may hand over hundreds of servers at once.
func (s *Scanner) rescanAll(servers []router.ServerInput) []rescanned {
	all := make([]rescanned, len(servers))
	var workers sync.WaitGroup
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), len(servers)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(servers); i = int(next.Add(1)) - 1 {
				if in := &servers[i]; in.Locks != nil {
					all[i].tools, all[i].same = rescan(s.tools[in.Name], in.Tools)
				}
			}
		})
	}
	workers.Wait()
	return all
}

// rescan scans tools, reuses the results of unchanged ones, and reports whether all are
// unchanged.
func rescan(before []scanned, tools []json.RawMessage) (after []scanned, same bool) {
	same = len(before) == len(tools)
	after = make([]scanned, len(tools))
	for i, raw := range tools {
		if i < len(before) && bytes.Equal(before[i].raw, raw) {
			after[i] = before[i]
			continue
		}
		same = false
		after[i] = scanned{raw, scan.Tool(raw)}
	}
	return after, same
}
