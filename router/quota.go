package router

import "github.com/winnow-mcp/winnow/protocol"

// The settings that say how many tools a message attaches.
const (
	settingInitialK    = "winnow.initialK"
	settingSearchK     = "winnow.searchK"
	settingSearchTurns = "winnow.searchTurns"
	settingTopK        = "winnow.topK"
	settingAppendAfter = "winnow.proxy.appendAfterMinutes"
)

// quota is how many tools a task's latest message attaches.
type quota struct {
	number int
	// setting says so many.
	setting string
	// recent: they go to the servers in recent use, as no message of the task
	// says what it is about.
	recent bool
	// closed: the message attaches nothing, and names nothing.
	closed bool
}

// windowQuota returns how many tools the task's latest message attaches under the
// rolling window. first: it is the first that is routed.
func (v *choosing) windowQuota(t *Task, first bool) quota {
	_, _, about := v.subject(t)
	switch s := v.Settings; {
	case v.Frozen(t):
		return quota{setting: settingSearchTurns, closed: true}
	case !about && !first:
		return quota{setting: settingSearchK, closed: true}
	case first, !about, t.opens():
		return quota{number: s.InitialK, setting: settingInitialK, recent: !about}
	case t.Warm:
		return quota{setting: settingAppendAfter, closed: true}
	default:
		return quota{number: s.SearchK, setting: settingSearchK}
	}
}

// Frozen reports whether the rolling window is over: no message attaches
// anything more.
func (v *choosing) Frozen(t *Task) bool {
	return t.Routing == protocol.AttachDynamic && v.Settings.Strategy == protocol.StrategyWindow &&
		t.searched() > v.Settings.SearchTurns
}
