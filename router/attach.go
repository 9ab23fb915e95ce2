package router

import (
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// attach returns the task with the picked tools appended. The picks form one batch,
// ordered by name so that equal choices make equal prompts. picks must be sorted best
// first. dropped holds the ordinals of those for which there is no room.
func (v *attaching) attach(t Task, picks []pick) (next Task, dropped []int) {
	if len(picks) == 0 {
		return t, nil
	}
	room, tokens, held := v.room(&t), v.tokenRoom(&t), t.held(len(picks))
	batch := make([]Attached, 0, min(len(picks), room))
	for _, p := range picks {
		tool := &v.Catalog.Tools[p.tool]
		// A host identifies its tools by name alone, so no name is attached twice.
		if held.ids[tool.ID] || v.Catalog.verbatim && held.names[tool.Name] {
			continue
		}
		a := v.present(&t, p, held)
		if len(batch) == room || a.Tokens > tokens {
			dropped = append(dropped, p.tool)
			continue
		}
		tokens -= a.Tokens
		held.ids[a.ID], held.names[a.Name] = true, true
		batch = append(batch, a)
	}
	if len(batch) == 0 {
		return t, dropped
	}
	slices.SortFunc(batch, func(a, b Attached) int { return strings.Compare(a.Name, b.Name) })
	t.Attached = append(slices.Clip(t.Attached), batch...)
	t.Generation++
	return t, dropped
}

// present returns what the task's model sees of a tool from now on.
func (v *attaching) present(t *Task, p pick, h held) Attached {
	tool := &v.Catalog.Tools[p.tool]
	presented := v.presented(p.tool)
	return Attached{
		ID:          tool.ID,
		Name:        v.freshName(t, tool, func(name string) bool { return h.names[name] }),
		Description: presented.description,
		Schema:      presented.schema,
		Tokens:      presented.tokens,
		Turn:        t.Turn,
		Reason:      p.reason,
		Score:       p.score,
	}
}

// attachPinned attaches the tools that every message needs: those already called, then
// those pinned for the task, by the user permanently, or by their server.
func (v *attaching) attachPinned(t Task) Task { return v.attachChosen(v.attachCalled(t)) }

// CatchUp returns the task of a request within a turn, for a host that makes its calls
// itself. It attaches what the model has called meanwhile and, where all tools are
// attached, the tools that the host has listed since.
func (v *attaching) CatchUp(t Task) Task {
	switch t.Routing {
	case protocol.AttachDynamic:
		return v.attachCalled(t)
	case protocol.AttachAll:
		warnings := t.Warnings
		t = v.attachAll(t)
		t.Warnings = warnings
	case protocol.AttachDispatch:
	}
	return t
}

// attachCalled attaches the tools already called. Some providers refuse a request whose
// history contains a call of a tool that the request does not define.
func (v *attaching) attachCalled(t Task) Task {
	var called []pick
	for _, id := range t.Called {
		if i, ok := v.Catalog.Lookup(id); ok && v.admits(&t, i) {
			called = append(called, pick{tool: i, reason: protocol.ReasonCalled})
		}
	}
	t, _ = v.attach(t, called)
	return t
}

// attachChosen attaches the tools that are pinned for the task, by the user permanently,
// or by their server.
func (v *attaching) attachChosen(t Task) Task {
	var pinned []pick
	for _, ref := range t.Choices.Pinned {
		if i, ok := v.Catalog.Lookup(ToolID(ref)); ok && v.admits(&t, i) {
			pinned = append(pinned, pick{tool: i, reason: protocol.ReasonPinned})
		}
	}
	for _, i := range v.pinned {
		if v.admits(&t, i) {
			pinned = append(pinned, pick{tool: i, reason: protocol.ReasonPinned})
		}
	}
	t, dropped := v.attach(t, pinned)
	if len(dropped) > 0 {
		do := "pinned tools do"
		if len(dropped) == 1 {
			do = "pinned tool does"
		}
		t.Warnings = append(t.Warnings, fmt.Sprintf("%d %s not fit: %s", len(dropped), do, v.limit(&t)))
	}
	return t
}

// attachAll attaches every tool in scope.
func (v *attaching) attachAll(t Task) Task {
	picks := make([]pick, 0, v.Scope.Count)
	for i := range v.Catalog.Tools {
		if v.attachable(&t, i) && v.shown(&t, i) {
			picks = append(picks, pick{tool: i, reason: protocol.ReasonAll})
		}
	}
	t, _ = v.attach(t, picks)
	if total, limit := len(t.Attached)+t.Model.NativeTools, v.requestLimit(&t); total > limit {
		t.Warnings = append(t.Warnings, fmt.Sprintf("%d tools in one request, and the limit is %d "+
			"(winnow.maxTools or the model's own): %s", total, limit, v.whyAll(&t)))
	}
	return t
}

// whyAll names the setting that causes all tools to be attached.
func (v *attaching) whyAll(t *Task) string {
	switch s := v.Settings; {
	case t.Gateway != "" && s.Gateway.Mode == protocol.GatewayAll:
		return "winnow.gateway.mode is `all`"
	case s.Shadow:
		return "routing is only watched, by winnow.shadow"
	case s.SearchTurns == 0 && !s.Enabled:
		return "routing is off, by winnow.enabled"
	case s.SearchTurns == 0:
		return "routing is off, by winnow.searchTurns"
	}
	return "these are too few for routing, by winnow.threshold"
}

// withoutStrangers detaches the tools that a rule now keeps out, that no longer exist, or
// that the client hides while Winnow chooses none. It detaches called tools too, because
// without Winnow they would be gone as well.
func (v *attaching) withoutStrangers(t Task) Task {
	kept := make([]Attached, 0, len(t.Attached))
	for _, a := range t.Attached {
		if i, ok := v.Catalog.Lookup(a.ID); ok && v.admits(&t, i) && v.shown(&t, i) {
			kept = append(kept, a)
		}
	}
	if len(kept) == len(t.Attached) {
		return t
	}
	t.Attached = kept
	t.Generation++
	return t
}

// attachRanked attaches the k best tools for the task's message. It names the next best
// if the task names any. With fill, places that no match takes are filled.
func (v *attaching) attachRanked(t Task, k int, fill bool) Task {
	names := v.namesNext(&t)
	ranked := v.builtInLast(v.ranked(&t, k+names))
	picks := ranked[:min(len(ranked), k)]
	if fill && len(picks) < k {
		picks = append(slices.Clip(picks), v.fill(&t, picks, k-len(picks), anyServer)...)
	}
	t, _ = v.attach(t, picks)
	if names > 0 {
		t = v.name(t, append(v.builtIn(&t), ranked...), names)
	}
	return t
}

// builtInPicks is the most built-in tools of the host that one message attaches. Each
// costs about four times as much as a server's tool, and the host always sends those in
// daily use.
const builtInPicks = 3

// builtInLast returns the picks with at most builtInPicks of the host's built-in tools. A
// built-in tool must rank among the first searchK.
func (v *attaching) builtInLast(picks []pick) []pick {
	if !v.Catalog.hasBuiltIn() {
		return picks
	}
	wanted := make([]pick, 0, len(picks))
	n := 0
	for place, p := range picks {
		if v.Catalog.isBuiltIn(p.tool) {
			if n++; n > builtInPicks || place >= v.Settings.SearchK {
				continue
			}
		}
		wanted = append(wanted, p)
	}
	return wanted
}

// builtIn returns the host's built-in tools that a task may have. Those not attached are
// named before others, because models expect to have them.
func (v *attaching) builtIn(t *Task) []pick {
	var picks []pick
	for i := range v.Catalog.Tools {
		if v.Catalog.isBuiltIn(i) && v.attachable(t, i) {
			picks = append(picks, pick{tool: i})
		}
	}
	return picks
}

// attachRecent attaches up to k tools of the servers in recent use. It serves a task
// whose messages do not say what they are about, where ranking would be arbitrary. The
// most used tools come first, then the other tools of those servers in turn. If mcp_load
// names tools, it names those of all servers in turn.
func (v *attaching) attachRecent(t Task, k int) Task {
	names := v.namesNext(&t)
	t, _ = v.attach(t, v.fill(&t, nil, k, v.fillers(&t)))
	if names > 0 {
		t = v.name(t, append(v.builtIn(&t), v.fill(&t, nil, names, anyServer)...), names)
	}
	t.Warnings = append(t.Warnings, "the message does not say what it is about, so no tool was chosen by its words; "+
		attachedRecent(v.recentServers()))
	return t
}

// attachedRecent describes the tools that were attached instead of ranked ones.
func attachedRecent(servers []string) string {
	if len(servers) == 0 {
		return "none is attached until one does"
	}
	more := ""
	if n := len(servers) - maxNotes; n > 0 {
		servers, more = servers[:maxNotes], fmt.Sprintf(" and %d more", n)
	}
	return "those of the servers in recent use are attached: " + strings.Join(servers, ", ") + more
}
