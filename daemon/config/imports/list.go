package imports

import (
	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/protocol"
)

// Servers lists the servers of a file, in its order, with what Winnow's own
// file says about each; none when the file is broken, which its client tells
// its user. own is nil when there is no such file.
func Servers(source Source, text string, own *string) []protocol.ImportServer {
	var taken, rules map[string]bool
	if own != nil {
		taken, rules = entriesOf(*own)
	}
	var servers []protocol.ImportServer
	for _, e := range config.Parse(config.Source{Path: source.Path, Dialect: source.Dialect}, []byte(text)).Entries {
		if !e.DefinesServer() {
			continue // rules for a server of another file
		}
		server := protocol.ImportServer{Name: e.Name, State: protocol.ImportNew}
		switch {
		case taken[e.Name]:
			server.State = protocol.ImportTaken
		case rules[e.Name]:
			server.State = protocol.ImportMerges
		}
		servers = append(servers, server)
	}
	return servers
}

// entriesOf returns the names of the servers that Winnow's own file defines,
// and of those that it only has rules for.
func entriesOf(own string) (taken, rules map[string]bool) {
	taken, rules = map[string]bool{}, map[string]bool{}
	for _, e := range config.Parse(config.Source{Dialect: config.Winnow}, []byte(own)).Entries {
		if e.DefinesServer() {
			taken[e.Name] = true
		} else {
			rules[e.Name] = true
		}
	}
	return taken, rules
}
