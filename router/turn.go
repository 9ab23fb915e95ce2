package router

import (
	"fmt"
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
)

// Turn returns the task after a new user message. The first t of a task holds its ID and
// what its host has told about it.
func (v *choosing) Turn(t Task, message string) Task {
	t = t.said(message)
	t.Turn++
	t.Window++
	return v.choose(v.noteSubject(t))
}

// Compact returns the task after its host compacted the conversation. The prompt cache is
// lost, so the window starts again and the set may shrink. An empty message means the
// latest one. It counts no turn: if the compacted request has a new user message, the
// host raises Turn first.
func (v *choosing) Compact(t Task, message string) Task {
	t = t.repeated(message)
	t.Window, t.SubjectAt = 1, 0
	t.Attached = nil
	t.Shown, t.Named, t.Index = nil, nil, ""
	t.Generation++
	return v.choose(v.noteSubject(t))
}

// choose attaches the tools for the task's latest message.
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

// all attaches every tool in scope, without choosing.
func (v *choosing) all(t Task) Task {
	t.Warnings = nil
	if !v.keepsStrangers(&t) {
		t = v.withoutStrangers(t)
	}
	t.Routing = protocol.AttachAll
	t = v.attachAll(t)
	// An earlier offer stays unless routing is off.
	t.LoadOffered = t.LoadOffered && v.Settings.SearchTurns > 0 || v.awaits(&t)
	t.Warnings = append(t.Warnings, v.stillStarting(&t)...)
	return t
}

// stillStarting warns the user of servers whose tools are not known yet.
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

// window is the rolling window, which only adds tools: the best initialK for the first
// message, the best searchK for each of the next, and none after searchTurns messages.
// The first routed message counts as a first message, because servers may still have been
// starting when the task began. While no message says what it is about, servers in recent
// use replace the ranking, and the first message that does counts as first.
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

// topK chooses again for each message. Tools that the model loaded or called stay, in
// their place. Tools ranked for an older message that are not among the best now are
// removed. Wayland Core does the same.
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

// dispatch is the strategy that attaches nothing. Tools attached earlier, while there
// were few, stay. The index is written once.
func (v *choosing) dispatch(t Task) Task {
	t.Routing = protocol.AttachDispatch
	if t.Index == "" {
		t.Index = v.serverIndex(&t)
		t.Generation++
	}
	return t
}

// Mirror returns the task of a request within a turn. With `searchTurns: 0` and in shadow
// mode it carries what its client shows now, since the client may have opened a group.
// Otherwise nothing changes within a turn.
func (v *choosing) Mirror(t Task) Task {
	if v.Settings.SearchTurns > 0 || t.Client == nil {
		return t
	}
	return v.all(t)
}
