package router

import (
	"fmt"
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
)

// Turn returns the task after a new user message. A task begins with one, from
// a value that says its ID and what its host knows of it.
func (v *choosing) Turn(t Task, message string) Task {
	t = t.said(message)
	t.Turn++
	t.Window++
	return v.choose(v.noteSubject(t))
}

// Compact returns the task after its host has compacted the conversation: the
// prompt cache is lost, so the window begins anew and the set may shrink. An
// empty message goes by the latest one. It counts no turn: a host whose
// compacted request brings a new user message raises Turn first.
func (v *choosing) Compact(t Task, message string) Task {
	t = t.repeated(message)
	t.Window, t.SubjectAt = 1, 0
	t.Attached = nil
	t.Shown, t.Named, t.Index = nil, nil, ""
	t.Generation++
	return v.choose(v.noteSubject(t))
}

// choose attaches what the task's latest message calls for.
func (v *choosing) choose(t Task) Task {
	t.Mode = v.Mode.Slug
	t.Warnings, t.Gated, t.ChosenBy = nil, v.gated(), ""
	if !v.Routing(&t) {
		return v.all(t)
	}
	if v.Settings.Strategy == protocol.StrategyDispatch {
		return v.dispatch(t)
	}
	first := t.Window == 1 || t.Routing != protocol.AttachDynamic
	t.Routing = protocol.AttachDynamic
	if v.Settings.Strategy == protocol.StrategyTopK {
		t = v.topK(t)
	} else {
		t = v.window(t, first)
	}
	t.LoadOffered = (t.LoadOffered || v.unattached(&t) || v.awaits(&t)) && v.loads(&t)
	t.Warnings = append(t.Warnings, v.limits(&t)...)
	t.Warnings = append(t.Warnings, v.stillStarting(&t)...)
	return t
}

// all attaches every tool in scope, as where none are chosen.
func (v *choosing) all(t Task) Task {
	t.Warnings = nil
	if !v.keepsStrangers(&t) {
		t = v.withoutStrangers(t)
	}
	t.Routing = protocol.AttachAll
	t = v.attachAll(t)
	// A switch that is off hides it already; on again, it is offered where it loads something.
	t.LoadOffered = t.LoadOffered && v.Settings.SearchTurns > 0 || v.awaits(&t)
	t.Warnings = append(t.Warnings, v.stillStarting(&t)...)
	return t
}

// stillStarting tells the user of servers whose tools are not known yet.
func (v *choosing) stillStarting(t *Task) []string {
	if len(t.Starting) == 0 {
		return nil
	}
	text := fmt.Sprintf("still starting, so their tools are not known yet: %s; the next message has them", joined(t.Starting, maxLine))
	if t.LoadOffered {
		text += ", and the model can attach them before by " + LoadName
	}
	return []string{text}
}

// window is the union-only rolling window: the best initialK for the first
// message, the best searchK for each of the next, and after searchTurns of
// them nothing more. Nothing is ever removed. The first message is also the
// first that is routed: when the task began, servers may still have been
// starting, and it got the few tools there were. While no message says what it
// is about, the servers in recent use stand in, and the first one that does
// counts as the first.
func (v *choosing) window(t Task, first bool) Task {
	bare := len(t.Attached) == 0
	t = v.attachPinned(t)
	k := v.windowQuota(&t, first)
	t.ChosenBy = k.setting
	switch {
	case k.closed:
		return t
	case k.recent:
		return v.attachRecent(t, k.number)
	default:
		return v.attachRanked(t, v.few(&t, k.number), bare && k.setting == settingInitialK)
	}
}

// topK chooses afresh for each message, as Wayland Core does: what the model
// loaded or called stays, what was ranked for an older message and is not
// among the best now goes. What stays keeps its place.
func (v *choosing) topK(t Task) Task {
	t.ChosenBy = settingTopK
	names := v.namesNext(&t)
	ranked := v.builtInLast(v.ranked(&t, v.Settings.TopK+names))
	best := ranked[:min(len(ranked), v.Settings.TopK)]
	if len(best) < v.Settings.TopK {
		best = append(slices.Clip(best), v.fill(&Task{Choices: t.Choices}, best, v.Settings.TopK-len(best), v.fillers(&t))...)
	}
	kept := make([]Attached, 0, len(t.Attached))
	for _, a := range t.Attached {
		i, ok := v.Catalog.Lookup(a.ID)
		if t.stays(a) || ok && slices.ContainsFunc(best, func(p pick) bool { return p.tool == i }) {
			kept = append(kept, a)
		}
	}
	if len(kept) != len(t.Attached) {
		t.Generation++
	}
	t.Attached = kept
	t = v.attachPinned(t)
	t, _ = v.attach(t, best)
	if names > 0 {
		t = v.name(t, append(v.builtIn(&t), ranked...), names)
	}
	return t
}

// dispatch is the strategy that attaches nothing. What was attached before,
// while the tools were few, stays; the index is written once.
func (v *choosing) dispatch(t Task) Task {
	t.Routing = protocol.AttachDispatch
	if t.Index == "" {
		t.Index = v.serverIndex(&t)
		t.Generation++
	}
	return t
}

// Mirror returns the task of a request within a turn: with `searchTurns: 0`, and
// while the user only watches, it carries what its client shows by now, which
// may have opened a group of its own. Otherwise nothing changes within a turn.
func (v *choosing) Mirror(t Task) Task {
	if v.Settings.SearchTurns > 0 || t.Client == nil {
		return t
	}
	return v.all(t)
}
