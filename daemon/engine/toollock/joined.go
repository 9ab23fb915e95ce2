package toollock

import (
	"encoding/json"
	"slices"

	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/trust/lock"
	"github.com/winnow-mcp/winnow/daemon/trust/scan"
	"github.com/winnow-mcp/winnow/protocol"
)

// joining looks through what a known server gains.
type joining struct {
	keeper *Keeper
	id     identity
}

// found returns what a person should look at in something that a known server
// did not offer before: its words, and its name beside those of all tools that
// are there.
func (n joining) found(key lock.Key, raw json.RawMessage) *lock.Joined {
	kind, name := split(key)
	if kind == protocol.LockInstructions {
		return &lock.Joined{Findings: scan.Tool(json.RawMessage(`{"description":` + string(raw) + `}`))}
	}
	findings := scan.Tool(raw)
	own, names := n.names(kind)
	if kind == protocol.LockTool {
		names[n.id.name] = append(slices.Clone(own), name)
		findings = append(findings, scan.NewNames(names).Findings(n.id.name, name, scan.Mentions(raw))...)
	}
	if i := slices.IndexFunc(own, func(other string) bool { return other != name && scan.Alike(name, other) }); i >= 0 {
		findings = append(findings, protocol.Finding{Kind: protocol.FindingLookalikeTool, Text: name, Where: "name", Other: n.id.name + "/" + own[i]})
	}
	return &lock.Joined{Findings: findings}
}

// names returns the names of one kind that a server is known by, and those of
// the tools of the other servers that are there.
func (n joining) names(kind protocol.LockKind) (own []string, others map[string][]string) {
	k := n.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	for key := range k.server(n.id).record.Items {
		if of, name := split(key); of == kind {
			own = append(own, name)
		}
	}
	slices.Sort(own)
	others = map[string][]string{}
	for other, s := range k.servers {
		if other.name == n.id.name {
			continue
		}
		for _, said := range s.said {
			for key := range said.now {
				if of, name := split(key); of == protocol.LockTool {
					others[other.name] = append(others[other.name], name)
				}
			}
		}
	}
	return own, others
}

// Held returns why nothing of one of the daemon's own servers may be listed
// or read, the zero cause where it may: the lock lets through only what somebody
// has approved, and nobody has approved of anything of it.
func (a Approvals) Held(server string) protocol.Cause {
	k := a.Keeper
	files := k.options.Configuration().Locked(server)
	if k.options.Mode() != protocol.LockEnforce || files.Listed != nil {
		return protocol.Cause{}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, item := range k.server(identity{files.Folder, server}).record.Items {
		if item.State == protocol.LockApproved {
			return protocol.Cause{}
		}
	}
	return protocol.Cause{Kind: protocol.CauseUnlisted, Owner: server, Key: settingName}
}

// ResourcesAllowed refuses the resources of a server that is held back whole.
func (a Approvals) ResourcesAllowed(server string) error {
	cause := a.Held(server)
	if cause.Kind == "" {
		return nil
	}
	err := failure.New(protocol.KindOutOfScope, "Approve the server in the Servers view of Winnow, or list it by `winnowd lock -update`.",
		"the resources of server %q may not be read: nobody has approved of anything of it, and %s is %q", server, settingName, protocol.LockEnforce).OfServer(server)
	err.Rule = &cause
	return err
}
