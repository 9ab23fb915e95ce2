package router

import (
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
)

// The settings that say how many tools a message attaches.
const (
	settingInitialK    = "winnow.initialK"
	settingSearchK     = "winnow.searchK"
	settingSearchTurns = "winnow.searchTurns"
	settingTopK        = "winnow.topK"
	settingAppendAfter = "winnow.proxy.appendAfterMinutes"
)

// places is how many tools a task's latest message attaches.
type places struct {
	number int
	// setting says so many.
	setting string
	// recent: they go to the servers in recent use, as no message of the task
	// says what it is about.
	recent bool
	// closed: the message attaches nothing, and names nothing.
	closed bool
}

// places returns how many tools the task's latest message attaches under the
// rolling window. first: it is the first that is routed.
func (v *View) places(t *Task, first bool) places {
	_, _, about := v.subject(t)
	switch s := v.Settings; {
	case v.Frozen(t):
		return places{setting: settingSearchTurns, closed: true}
	case !about && !first:
		return places{setting: settingSearchK, closed: true}
	case first, !about, v.opens(t):
		return places{number: s.InitialK, setting: settingInitialK, recent: !about}
	case t.Warm:
		return places{setting: settingAppendAfter, closed: true}
	default:
		return places{number: s.SearchK, setting: settingSearchK}
	}
}

// placed returns what [View.places] returned for the task's latest message: it
// was the first that is routed where none before it attached a tool.
func (v *View) placed(t *Task) places {
	ranked := func(a Attached) bool {
		return a.Turn < t.Turn && (a.Reason == protocol.ReasonRanked || a.Reason == protocol.ReasonFill)
	}
	return v.places(t, t.Window == 1 || !slices.ContainsFunc(t.Attached, ranked))
}

// Frozen reports whether the rolling window is over: no message attaches
// anything more.
func (v *View) Frozen(t *Task) bool {
	return t.Routing == protocol.AttachDynamic && v.Settings.Strategy == protocol.StrategyWindow &&
		v.searched(t) > v.Settings.SearchTurns
}

// searched counts the messages of the window, from the first on that says what
// it is about: those before it had nothing to search for.
func (v *View) searched(t *Task) int {
	n := t.Window
	for _, message := range t.Earlier[max(0, len(t.Earlier)-(t.Window-1)):] {
		if v.says(message) {
			return n
		}
		n--
	}
	return n
}
