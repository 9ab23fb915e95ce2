package router

import (
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
)

// Rule returns the rule that keeps a tool out of a task, or the zero cause if none does.
func (v *admission) Rule(t *Task, tool int) protocol.Cause {
	if rule := v.Mode.ToolRule(v.Catalog, tool); rule.Kind != "" {
		return rule
	}
	if t.disables(v.Catalog.Tools[tool].ID) {
		return protocol.Cause{Kind: protocol.CauseTask}
	}
	return protocol.Cause{}
}

// admits reports whether a task may have a tool.
func (v *admission) admits(t *Task, tool int) bool {
	return v.Scope.Admits(tool) && !t.disables(v.Catalog.Tools[tool].ID)
}

// userPinned reports whether the user pinned a tool, permanently or for this task. A
// server's own request does not count.
func (v *admission) userPinned(t *Task, tool int) bool {
	pick := &v.Catalog.Tools[tool]
	return pick.Pinned || slices.Contains(t.Choices.Pinned, protocol.ToolRef(pick.ID))
}

// attachable reports whether a tool may be attached without a request by name: it is in
// scope, and its server does not exclude it this turn.
func (v *admission) attachable(t *Task, tool int) bool {
	return v.admits(t, tool) && !v.keptBack(tool)
}

// keptBack reports whether a tool's own server excludes it this turn.
func (v *admission) keptBack(tool int) bool {
	return v.gating != nil && v.Settings.SearchTurns > 0 && v.gating.excluded[v.Catalog.Tools[tool].ID]
}

// gated returns the servers' verdicts on the message of a turn.
func (v *admission) gated() []protocol.GatingVerdict {
	if v.gating == nil {
		return nil
	}
	return v.gating.Verdicts
}

// scoped returns the number and the token cost of the tools that the task may have.
func (v *admission) scoped(t *Task) (count, tokens int) {
	count, tokens = v.Scope.Count, v.Scope.Tokens
	for n, ref := range t.Choices.Disabled {
		if slices.Contains(t.Choices.Disabled[:n], ref) {
			continue
		}
		if i, ok := v.Catalog.Lookup(ToolID(ref)); ok && v.Scope.Admits(i) {
			count--
			tokens -= v.Catalog.Tools[i].Tokens
		}
	}
	return count, tokens
}

// unattached reports whether the task may have tools that are not attached.
func (v *admission) unattached(t *Task) bool {
	count, _ := v.scoped(t)
	return count > len(t.Attached)
}

// inadmissible counts the attached tools that a rule now keeps out or that no longer
// exist.
func (v *admission) inadmissible(t *Task) int {
	n := 0
	for i := range t.Attached {
		if tool, ok := v.Catalog.Lookup(t.Attached[i].ID); !ok || !v.admits(t, tool) {
			n++
		}
	}
	return n
}

// keepsStrangers reports whether the task keeps attached tools that a rule now keeps out
// or that no longer exist. It does while tools are chosen, to keep the prompt cache
// valid. It does not while all are attached.
func (v *admission) keepsStrangers(t *Task) bool {
	return v.Settings.SearchTurns > 0 && t.Routing != protocol.AttachAll
}

// shown reports whether the task's requests carry a tool when all are attached. With
// `searchTurns: 0`, and in shadow mode, the client hides the tools that it would hide
// without Winnow.
func (v *admission) shown(t *Task, tool int) bool {
	return v.Settings.SearchTurns > 0 || t.Client == nil || v.Catalog.IsOwn(tool) ||
		slices.Contains(t.Client.Visible, v.Catalog.Tools[tool].Name)
}

// countServer counts the tools of a server that the task may have.
func (v *admission) countServer(t *Task, server int) int {
	n := 0
	s := &v.Catalog.Servers[server]
	for i := s.First; i < s.End; i++ {
		if v.admits(t, i) {
			n++
		}
	}
	return n
}

// unlisted reports whether a server in scope may have tools that are not known yet.
func (v *admission) unlisted(server int) bool {
	s := &v.Catalog.Servers[server]
	return s.First == s.End && s.Unavailable == "" && !v.Mode.hidesServer(s.Name) && v.Mode.ServerRule(s.Policy, s.Name).Kind == ""
}

// Unlisted names the servers in scope that may have tools that are not known yet.
func (v *admission) Unlisted() []string {
	var names []string
	for s := range v.Catalog.Servers {
		if v.unlisted(s) {
			names = append(names, v.Catalog.Servers[s].Name)
		}
	}
	return names
}
