package display

import (
	"cmp"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// Catalog returns the rows of a list of servers. nameOf returns a file's display name.
// lists holds the daemon's own catalogue and the host's, with their tools if there is a
// filter.
func Catalog(p *protocol.CatalogRowsParams, nameOf func(file string) string, lists ...protocol.CatalogListResult) protocol.CatalogRowsResult {
	var result protocol.CatalogRowsResult
	var servers []protocol.ServerInfo
	for _, list := range lists {
		servers = append(servers, list.Servers...)
		result.Consents = append(result.Consents, list.Consents...)
		for _, fault := range list.Faults {
			result.Faults = append(result.Faults, protocol.FaultRow{FileFault: fault, Row: faultRow(&fault, p.Filter, nameOf)})
		}
	}
	servers = withoutDoubles(withUnstarted(servers, p.HostServers))
	sortServers(servers, p.Sort)
	result.Description, result.Badge = totals(servers), changesBadge(servers)
	words := strings.Fields(strings.ToLower(p.Filter))
	for i := range servers {
		s := &servers[i]
		if len(words) == 0 {
			result.Servers = append(result.Servers, protocol.ServerRow{ServerInfo: *s, Row: serverRow(s, nil), Remedies: remediesOf(s)})
			continue
		}
		tools := toolsOf(lists, s)
		if !matches(words, s.Name) {
			tools = slices.DeleteFunc(tools, func(t protocol.ToolRow) bool { return !toolMatches(words, &t.ToolInfo) })
		}
		if len(tools) > 0 || matches(words, s.Name) {
			sortTools(tools, p.Sort)
			result.Servers = append(result.Servers, protocol.ServerRow{ServerInfo: *s, Row: serverRow(s, sumOf(tools)), Remedies: remediesOf(s)})
			result.Tools = append(result.Tools, tools...)
		}
	}
	return result
}

// faultRow returns the row of a fault in a file. It returns nil for a warning, and in a
// filtered list.
func faultRow(f *protocol.FileFault, filter string, nameOf func(file string) string) *protocol.Row {
	if f.Warning || filter != "" {
		return nil
	}
	place, said := placeOf(nameOf(f.File), f.Line), oneLine(f.Message)
	tooltip := []string{"**" + Markdown(place) + "** — " + Markdown(f.Message)}
	if f.Next != "" {
		tooltip = append(tooltip, Markdown(sentence(f.Next)))
	}
	return &protocol.Row{
		Label: place, Description: said, Icon: &protocol.Icon{ID: "error", Color: "charts.red"}, Context: "fault",
		Tooltip:       strings.Join(append(tooltip, "What is defined there is not in effect. A click opens it."), "\n\n"),
		Accessibility: spoken(place, "error", description{words(said)}),
	}
}

func sumOf(tools []protocol.ToolRow) *toolSum {
	sum := toolSum{tools: len(tools)}
	for i := range tools {
		sum.tokens += tools[i].Tokens
	}
	return &sum
}

// Tools returns the rows of the tools of one server. list is its catalogue.
func Tools(p *protocol.ToolRowsParams, list protocol.CatalogListResult) protocol.ToolRowsResult {
	if len(list.Servers) == 0 {
		return protocol.ToolRowsResult{}
	}
	tools := toolsOf([]protocol.CatalogListResult{list}, &list.Servers[0])
	if p.Tool != "" {
		tools = slices.DeleteFunc(tools, func(t protocol.ToolRow) bool { return t.Tool != p.Tool })
		for i := range tools {
			tools[i].Row.Tooltip = toolTooltip(&tools[i].ToolInfo)
		}
	}
	sortTools(tools, p.Sort)
	return protocol.ToolRowsResult{Tools: tools}
}

// toolsOf returns the rows of all tools of a server.
func toolsOf(lists []protocol.CatalogListResult, s *protocol.ServerInfo) []protocol.ToolRow {
	var tools []protocol.ToolRow
	var names []string
	for _, list := range lists {
		if len(list.Servers) == 0 || list.Servers[0].Source != s.Source {
			continue
		}
		for _, tool := range list.Tools {
			if tool.Server == s.Name {
				tools = append(tools, protocol.ToolRow{ToolInfo: tool, Source: s.Source})
				names = append(names, tool.Tool)
			}
		}
	}
	prefix := prefixOf(names)
	for i := range tools {
		tools[i].Row = toolRow(&tools[i].ToolInfo, prefix, s.AlwaysLoad)
	}
	return tools
}

// withUnstarted adds the host's servers of which only the name is known.
func withUnstarted(servers []protocol.ServerInfo, names []string) []protocol.ServerInfo {
	for _, name := range names {
		if !slices.ContainsFunc(servers, func(s protocol.ServerInfo) bool { return s.Name == name }) {
			servers = append(servers, protocol.ServerInfo{Name: name, State: protocol.ServerHost})
		}
	}
	return servers
}

// withoutDoubles removes the host's servers that the daemon also runs: the name means one
// server with the same rules. The host still lists a server imported into Winnow while
// the latest task is older than the move.
func withoutDoubles(servers []protocol.ServerInfo) []protocol.ServerInfo {
	runs := map[string]bool{}
	for i := range servers {
		switch servers[i].State {
		case protocol.ServerHost, protocol.ServerWaitingForTrust, protocol.ServerWaitingForConsent, protocol.ServerDeclined:
		default:
			runs[servers[i].Name] = true
		}
	}
	return slices.DeleteFunc(servers, func(s protocol.ServerInfo) bool { return s.State == protocol.ServerHost && runs[s.Name] })
}

// sortServers sorts servers: those that wait for the user first, the host's last, then by
// name or by the cost of their tools.
func sortServers(servers []protocol.ServerInfo, by protocol.CatalogSort) {
	place := func(s protocol.ServerInfo) int {
		switch {
		case stateLooks[s.State].attention:
			return 0
		case s.State != protocol.ServerHost:
			return 1
		default:
			return 2
		}
	}
	slices.SortStableFunc(servers, func(a, b protocol.ServerInfo) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), byCost(by, a.Tokens, b.Tokens), byName(a.Name, b.Name))
	})
}

// sortTools sorts the tools of a server.
func sortTools(tools []protocol.ToolRow, by protocol.CatalogSort) {
	slices.SortStableFunc(tools, func(a, b protocol.ToolRow) int {
		return cmp.Or(byCost(by, a.Tokens, b.Tokens), byName(a.Tool, b.Tool))
	})
}

func byCost(by protocol.CatalogSort, a, b int) int {
	if by != protocol.SortByCost {
		return 0
	}
	return cmp.Compare(b, a)
}

// byName compares names as people sort them: without regard to case.
func byName(a, b string) int {
	return cmp.Or(cmp.Compare(strings.ToLower(a), strings.ToLower(b)), cmp.Compare(a, b))
}

// matches reports whether a text contains each of words, which must be in lower case.
func matches(words []string, text string) bool {
	text = strings.ToLower(text)
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}

func toolMatches(words []string, tool *protocol.ToolInfo) bool {
	return matches(words, strings.Join([]string{tool.Server, tool.Tool, tool.Title, tool.Description, tool.Override}, " "))
}

// totals sums up servers: the tools in scope, and the tokens if all were attached.
func totals(servers []protocol.ServerInfo) string {
	tools, tokens := 0, 0
	for i := range servers {
		tools += servers[i].InScope
		tokens += servers[i].ScopeTokens
	}
	if tools == 0 {
		return ""
	}
	return Count(tools, "tool") + " · " + inTokens(tokens)
}

// changesBadge returns the count of changes that wait for the user; nil for none.
func changesBadge(servers []protocol.ServerInfo) *protocol.Badge {
	changes := 0
	for i := range servers {
		changes += servers[i].Changes
	}
	if changes == 0 {
		return nil
	}
	return &protocol.Badge{Value: changes, Tooltip: Count(changes, "change") + " by MCP servers"}
}
