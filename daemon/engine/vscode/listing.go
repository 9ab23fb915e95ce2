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

// unknownServer is the server of a tool that matches no known server.
const unknownServer = "unknown server"

// listing is VS Code's list of tools, indexed. It is immutable.
type listing struct {
	tools map[string]*protocol.HostTool
	// labels maps VS Code's reference to a server to the server's name as defined.
	labels map[string]string
	namer  *chats.Namer
	// all holds MCP's tools, by name.
	all []protocol.HostTool
}

// newListing returns a list of tools in which MCP's have the names of their servers.
// servers holds all known servers.
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

// origin finds the server of one of MCP's tools: by VS Code's reference to the tool, as
// in `github/create_issue`, else by the beginning of its name, which does not determine
// the tool's own name.
func (l *listing) origin(name, reference string) (server, tool string) {
	// A label may contain a slash; a tool's name almost never does.
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

// isMCP reports whether a tool belongs to an MCP server other than the gateway, which
// routes by itself.
func (l *listing) isMCP(name string) bool {
	t, ok := l.tools[name]
	if !ok {
		return strings.HasPrefix(name, "mcp_")
	}
	return slices.Contains(t.Tags, mcpTag) && !l.isGateway(name)
}

// isGateway reports whether a tool belongs to Winnow's own gateway.
func (l *listing) isGateway(name string) bool {
	t, ok := l.tools[name]
	return ok && t.FullReferenceName != "" && t.Server == protocol.GatewayLabel
}

// offered returns a tool of a request as in the list. VS Code's agent corrects the
// schemas that it offers, which the lock would report as a change of the server's.
func (l *listing) offered(t *protocol.RequestTool) protocol.HostTool {
	if listed, ok := l.tools[t.Name]; ok {
		return *listed
	}
	server, tool := l.origin(t.Name, "")
	return protocol.HostTool{Server: server, Tool: tool, Name: t.Name, Description: t.Description, InputSchema: t.InputSchema}
}

// sorted sorts tools by name, and removes fields that only a listing has.
func sorted(tools []protocol.HostTool) []protocol.HostTool {
	for i := range tools {
		tools[i].Tags, tools[i].FullReferenceName = nil, ""
	}
	slices.SortFunc(tools, func(a, b protocol.HostTool) int { return strings.Compare(a.Name, b.Name) })
	return tools
}

var spaces = regexp.MustCompile(`\s+`)

// reference returns VS Code's reference to a server.
func reference(name string) string { return spaces.ReplaceAllString(strings.ToLower(name), "-") }
