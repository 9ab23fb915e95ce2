package workspace

import (
	"slices"

	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/protocol"
)

// AlwaysAllowed lists the tools that run without asking by `alwaysAllow`, each
// with the strongest file that names it.
func (c *Configuration) AlwaysAllowed() []protocol.Approval {
	var all []protocol.Approval
	for i := range c.Servers {
		s := &c.Servers[i]
		for _, tool := range s.Policy.AlwaysAllow {
			file := s.Origin.Source.Path
			if k := slices.IndexFunc(s.Layers, func(e config.Entry) bool { return s.Grants(e) && slices.Contains(e.Policy.AlwaysAllow, tool) }); k >= 0 {
				file = s.Layers[k].Origin.Source.Path
			}
			all = append(all, protocol.Approval{Server: s.Name, Tool: tool, File: file})
		}
	}
	return all
}

// Consented are the entries that may start, or whose rules count, because the user
// has said so.
type Consented struct{ Workspace *Workspace }

// List lists them.
func (c Consented) List() []protocol.Approval {
	var all []protocol.Approval
	c.each(func(e config.Entry) {
		all = append(all, protocol.Approval{Server: e.Name, File: e.Origin.Source.Path})
	})
	return all
}

// Withdraw takes back what the user has said of the entries of a name in a file:
// the user is asked again. It counts with the next Reconfigure.
func (c Consented) Withdraw(file, server string) error {
	var found []config.Entry
	c.each(func(e config.Entry) {
		if e.Name == server && e.Origin.Source.Path == file {
			found = append(found, e)
		}
	})
	if len(found) == 0 {
		return failure.New(protocol.KindUnknownServer, "Look at the list: it may have been taken back already.",
			"there is no entry %q in %s that you have agreed to", server, file).OfServer(server).InFile(file)
	}
	return c.Workspace.consents.Forget(found...)
}

// each calls f for each of them.
func (c Consented) each(f func(e config.Entry)) {
	a := c.Workspace.asking()
	for _, file := range c.Workspace.files.Files() {
		for _, e := range file.Entries {
			starts := e.DefinesServer() && a.consent(e) == config.Allowed
			ruled := config.RulesOf(e).Hash != "" && c.Workspace.consents.Rules(e) == config.Allowed
			if e.Invalid == nil && (starts || ruled) {
				f(e)
			}
		}
	}
}
