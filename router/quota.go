package router

import "github.com/winnow-mcp/winnow/protocol"

// Settings that determine how many tools a message attaches.
const (
	settingInitialK    = "winnow.initialK"
	settingSearchK     = "winnow.searchK"
	settingSearchTurns = "winnow.searchTurns"
	settingTopK        = "winnow.topK"
	settingAppendAfter = "winnow.proxy.appendAfterMinutes"
)

// quota is how many tools a task's latest message attaches, and why.
type quota struct {
	number int
	// setting is the setting that determines number.
	setting string
	// recent reports that they come from the servers in recent use, because no message of
	// the task says what it is about.
	recent bool
	// closed reports that the message attaches and names nothing.
	closed bool
}

// windowQuota returns the quota of the task's latest message under the rolling window.
// first reports whether it is the first routed message.
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

// Frozen reports whether the rolling window is over, so that messages attach no more
// tools.
func (v *choosing) Frozen(t *Task) bool {
	return t.Routing == protocol.AttachDynamic && v.Settings.Strategy == protocol.StrategyWindow &&
		t.searched() > v.Settings.SearchTurns
}
