package imports

import (
	"slices"

	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/protocol"
)

// Servers lists the servers of a file, in its order, with what Winnow's own file says
// about each. It returns none if the file is broken, which its client reports. own is nil
// if there is no such file.
func Servers(source Source, text string, own *string) []protocol.ImportServer {
	var taken, rules map[string]bool
	if own != nil {
		taken, rules = entriesOf(*own)
	}
	var servers []protocol.ImportServer
	for _, e := range entries(source, text) {
		server := protocol.ImportServer{Name: e.Name, State: protocol.ImportNew}
		switch {
		case e.Invalid != nil:
			server.State, server.Problem = protocol.ImportUnusable, e.Invalid.Message
		case taken[e.Name]:
			server.State = protocol.ImportTaken
		case rules[e.Name]:
			server.State = protocol.ImportMerges
		}
		servers = append(servers, server)
	}
	return servers
}

// entries returns the entries of a client's file that define servers.
func entries(source Source, text string) []config.Entry {
	file := config.Parse(config.Source{Path: source.Path, Dialect: source.Dialect}, []byte(text))
	// Others are rules for a server of another file.
	return slices.DeleteFunc(file.Entries, func(e config.Entry) bool { return !e.DefinesServer() })
}

// unusable returns the problems of unusable entries of a client's file, by server.
func unusable(source Source, text string) map[string]string {
	problems := map[string]string{}
	for _, e := range entries(source, text) {
		if e.Invalid != nil {
			problems[e.Name] = e.Invalid.Message
		}
	}
	return problems
}

// entriesOf returns the names of the servers that Winnow's own file defines, and of those
// that it only has rules for.
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
