package workspace

import (
	"slices"

	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/protocol"
)

// AlwaysAllowed lists the tools that run without confirmation by `alwaysAllow`, each with
// the strongest file that names it.
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

// Consented holds the entries of all folders that the user has allowed to start or whose
// rules the user has accepted, and the allowed redirects.
type Consented struct{ Workspace *Workspace }

// List lists the entries.
func (c Consented) List() []protocol.Approval {
	var all []protocol.Approval
	for _, one := range c.Workspace.consents.Agreements() {
		if one.Agreed {
			all = append(all, protocol.Approval{Server: one.Server, File: one.File, Folder: one.Project, Since: one.Since})
		}
	}
	return all
}

// Redirects lists the redirects.
func (c Consented) Redirects() []protocol.Approval {
	var all []protocol.Approval
	for _, one := range c.Workspace.consents.Agreements() {
		for _, r := range one.Redirects {
			all = append(all, protocol.Approval{Server: one.Server, To: r.To, File: one.File, Folder: one.Project, Since: r.Since})
		}
	}
	return all
}

// Withdraw revokes the user's answer about an entry, or about its redirects to one
// address; the user is asked again. It takes effect at the next Reconfigure.
func (c Consented) Withdraw(a protocol.Approval) error {
	found, err := c.Workspace.consents.Withdraw(a.File, a.Folder, a.Server, a.To)
	if err == nil && !found {
		return failure.New(protocol.KindUnknownServer, "Look at the list: it may have been taken back already.",
			"there is no entry %q in %s that you have agreed to", a.Server, a.File).OfServer(a.Server).InFile(a.File)
	}
	return err
}
