package toollock

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
	"github.com/winnow-mcp/winnow/router/lock"
	"github.com/winnow-mcp/winnow/router/scan"
)

// Scanner finds what a person should look at in what servers say. What a server
// says is scanned once. It has one user at a time.
type Scanner struct {
	// tools are what was scanned of each server, by place.
	tools map[string][]scanned
}

// scanned is a tool with what was found in it by itself.
type scanned struct {
	raw      json.RawMessage
	name     string
	findings []protocol.Finding
	mentions []scan.Mentioned
}

// Annotate adds what is found to the locks of servers' tools. Servers without
// locks, as all are while the lock is off, are left as they are.
func (s *Scanner) Annotate(servers []router.ServerInput) {
	next, names := map[string][]scanned{}, map[string][]string{}
	for i := range servers {
		in := &servers[i]
		if in.Locks == nil {
			continue
		}
		next[in.Name] = rescan(s.tools[in.Name], in.Tools)
		for k := range next[in.Name] {
			names[in.Name] = append(names[in.Name], next[in.Name][k].name)
		}
	}
	s.tools = next
	together := scan.NewNames(names)
	for i := range servers {
		in := &servers[i]
		if in.Locks == nil {
			continue
		}
		in.Locks = maps.Clone(in.Locks) // the keeper's own
		for _, one := range next[in.Name] {
			beside := together.Findings(in.Name, one.name, one.mentions)
			if found := slices.Concat(one.findings, beside); len(found) > 0 {
				tool := in.Locks[one.name]
				tool.Findings = found
				in.Locks[one.name] = tool
			}
		}
	}
}

// rescan scans tools, and takes what is known of unchanged ones.
func rescan(before []scanned, tools []json.RawMessage) []scanned {
	after := make([]scanned, len(tools))
	for i, raw := range tools {
		if i < len(before) && bytes.Equal(before[i].raw, raw) {
			after[i] = before[i]
			continue
		}
		name, _, err := lock.Tool(raw)
		if err != nil {
			continue // no catalogue takes it
		}
		after[i] = scanned{raw, name, scan.Tool(raw), scan.Mentions(raw)}
	}
	return after
}
