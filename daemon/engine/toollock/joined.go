package toollock

import (
	"encoding/json"
	"slices"

	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/trust/lock"
	"github.com/winnow-mcp/winnow/daemon/trust/scan"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router/reasons"
)

// joining scans what a known server adds.
type joining struct {
	keeper *Keeper
	id     identity
	// judging is the judgement of the server's tools; nil for prompts.
	judging *judging
}

// found returns the findings for an item that a known server did not offer before: in its
// words, and in its name compared with all present tools.
func (n joining) found(key lock.Key, raw json.RawMessage) *lock.Joined {
	kind, name := split(key)
	switch kind {
	case protocol.LockResources:
		return &lock.Joined{}
	case protocol.LockInstructions:
		return &lock.Joined{Findings: scan.Tool(json.RawMessage(`{"description":` + string(raw) + `}`)).Findings}
	}
	said := scan.Tool(raw)
	findings := said.Findings
	own, names := n.names(kind)
	if kind == protocol.LockTool {
		names[n.id.name] = append(slices.Clone(own), name)
		findings = append(findings, scan.NewNames(names).Findings(n.id.name, name, said.Mentions)...)
	}
	if i := slices.IndexFunc(own, func(other string) bool { return other != name && scan.Alike(name, other) }); i >= 0 {
		findings = append(findings, protocol.Finding{Kind: protocol.FindingLookalikeTool, Text: name, Where: "name", Other: n.id.name + "/" + own[i]})
	}
	return &lock.Joined{Findings: findings}
}

// names returns the known names of one kind of a server, and the tool names of the other
// present servers.
func (n joining) names(kind protocol.LockKind) (own []string, others map[string][]string) {
	k := n.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	for key := range k.server(n.id).record.Items {
		if of, name := split(key); of == kind {
			own = append(own, name)
		}
	}
	if n.judging != nil && kind == protocol.LockTool {
		for key := range n.judging.taken {
			_, name := split(key)
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

// resourcesKey is the key of a server's resources, which are locked as one item.
var resourcesKey = lock.KeyOf(protocol.LockResources, "")

// ResourcesHeld returns why the resources of one of the daemon's own servers may not be
// listed or read, or the zero cause.
func (a Approvals) ResourcesHeld(server string) protocol.Cause {
	k := a.Keeper
	mode, files := k.options.Mode(), k.options.Configuration().Locked(server)
	if mode == protocol.LockOff {
		return protocol.Cause{}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.server(identity{files.Folder, server})
	if now, said := s.ownNow()[resourcesKey]; said {
		return causeOf(server, now.verdict)
	}
	// The server has not said that it offers any.
	item := s.record.Items[resourcesKey]
	if files.Listed != nil || item.State == protocol.LockApproved || mode != protocol.LockEnforce && item.Kept == nil {
		return protocol.Cause{}
	}
	return protocol.Cause{Kind: protocol.CauseUnlisted, Owner: server, Key: settingName}
}

// ResourcesAllowed returns an error if the resources of a server are held back.
func (a Approvals) ResourcesAllowed(server string) error {
	cause := a.ResourcesHeld(server)
	if cause.Kind == "" {
		return nil
	}
	err := failure.New(protocol.KindOutOfScope, "Approve of the server's resources in the Servers view of Winnow, or list the server by `winnowd lock -update`.",
		"the resources of server %q may not be read: %s", server, reasons.Plain(cause)).OfServer(server)
	err.Rule = &cause
	return err
}
