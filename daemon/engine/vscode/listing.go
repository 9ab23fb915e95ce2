package vscode

import (
	"regexp"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/engine/chats"
	"github.com/winnow-mcp/winnow/protocol"
)

// mcpTag is the tag of MCP's tools in VS Code's list.
const mcpTag = "mcp"

// unknownServer stands for the server of a tool that no known server claims.
const unknownServer = "unknown server"

// listing is VS Code's list of tools, indexed. It is never changed.
type listing struct {
	tools map[string]*protocol.HostTool
	// labels are the names of servers as they are written where they are defined,
	// by what VS Code makes of them where a person refers to one.
	labels map[string]string
	namer  *chats.Namer
	// all are MCP's tools, by name.
	all []protocol.HostTool
}

// newListing returns a list of tools, of which MCP's get the names of their
// servers. servers are all that are known.
func newListing(tools []protocol.HostTool, servers []string) *listing {
	servers = append(slices.Clone(servers), protocol.GatewayLabel)
	l := &listing{
		tools: make(map[string]*protocol.HostTool, len(tools)), labels: make(map[string]string, len(servers)),
		namer: (&chats.Naming{Servers: servers}).Namer(),
	}
	for _, name := range servers {
		l.labels[reference(name)] = name
	}
	for _, t := range tools {
		t.Server, t.Tool = l.origin(t.Name, t.FullReferenceName)
		l.tools[t.Name] = &t
	}
	for name, t := range l.tools {
		if l.isMCP(name) {
			l.all = append(l.all, *t)
		}
	}
	l.all = sorted(l.all)
	return l
}

// origin finds the server of one of MCP's tools: as VS Code refers to the tool, as
// in `github/create_issue`, else by the beginning of its name, from which the tool's
// own name cannot be found.
func (l *listing) origin(name, reference string) (server, tool string) {
	// A label may hold a slash of its own, a tool's name hardly ever.
	if slash := strings.LastIndexByte(reference, '/'); slash > 0 {
		label := reference[:slash]
		if written, ok := l.labels[label]; ok {
			label = written
		}
		return label, reference[slash+1:]
	}
	if server, ok := l.namer.ServerIn(name); ok {
		return server, ""
	}
	return unknownServer, ""
}

// isMCP reports whether a tool is one of an MCP server, and not one of the gateway,
// which routes by itself.
func (l *listing) isMCP(name string) bool {
	t, ok := l.tools[name]
	if !ok {
		return strings.HasPrefix(name, "mcp_")
	}
	return slices.Contains(t.Tags, mcpTag) && !l.isGateway(name)
}

// isGateway reports whether a tool is one of Winnow's own gateway.
func (l *listing) isGateway(name string) bool {
	t, ok := l.tools[name]
	return ok && t.FullReferenceName != "" && t.Server == protocol.GatewayLabel
}

// offered returns a tool of a request as the list has it: VS Code's agent mends the
// schemas of what it offers, and the lock would take that for a change of the
// server's.
func (l *listing) offered(t *protocol.RequestTool) protocol.HostTool {
	if listed, ok := l.tools[t.Name]; ok {
		return *listed
	}
	server, tool := l.origin(t.Name, "")
	return protocol.HostTool{Server: server, Tool: tool, Name: t.Name, Description: t.Description, InputSchema: t.InputSchema}
}

// sorted puts tools in the order of their names, whichever were visible first, and
// leaves out what only a listing says.
func sorted(tools []protocol.HostTool) []protocol.HostTool {
	for i := range tools {
		tools[i].Tags, tools[i].FullReferenceName = nil, ""
	}
	slices.SortFunc(tools, func(a, b protocol.HostTool) int { return strings.Compare(a.Name, b.Name) })
	return tools
}

var spaces = regexp.MustCompile(`\s+`)

// reference returns what VS Code makes of a server's name where a person refers to
// it.
func reference(name string) string { return spaces.ReplaceAllString(strings.ToLower(name), "-") }
