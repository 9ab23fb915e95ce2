package daemon

import (
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/router"
)

// Bounds on what counts as recent use.
const (
	maxUses   = 200
	recentUse = 14 * 24 * time.Hour
	// maxUsesPerTool bounds the bonus of a tool that is called in a loop.
	maxUsesPerTool = 10
)

// usageLog remembers which tools were called lately in this workspace. It
// holds no arguments and stays on this machine.
type usageLog struct {
	file learnedFile
	now  func() time.Time

	// mu guards what follows.
	mu     sync.Mutex
	uses   []use // oldest first
	counts router.Usage
	dirty  bool
}

// use is one call of a tool.
type use struct {
	Server string    `json:"server"`
	Tool   string    `json:"tool"`
	At     time.Time `json:"at"`
}

// openUsageLog reads the log of a workspace. One that cannot be read is
// begun anew, and the error says so.
func openUsageLog(storage string, now func() time.Time) (*usageLog, error) {
	u := &usageLog{file: newLearnedFile(storage, "usage.json", "usage log"), now: now}
	if _, err := u.file.read(&u.uses); err != nil {
		u.uses = nil
		return u, err
	}
	u.recount()
	return u, nil
}

// record notes a call.
func (u *usageLog) record(id router.ToolID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.uses = append(u.uses, use{id.Server, id.Tool, u.now()})
	u.dirty = true
	u.recount()
}

// usage returns the recent uses by tool.
func (u *usageLog) usage() router.Usage {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.counts
}

// recount forgets what is old and counts the rest into a new map, because
// views hold the one before. The caller holds mu, or is alone.
func (u *usageLog) recount() {
	since := u.now().Add(-recentUse)
	uses := u.uses[max(0, len(u.uses)-maxUses):]
	for len(uses) > 0 && uses[0].At.Before(since) {
		uses = uses[1:]
	}
	u.uses = uses
	u.counts = router.Usage{}
	for _, call := range uses {
		id := router.ToolID{Server: call.Server, Tool: call.Tool}
		u.counts[id] = min(u.counts[id]+1, maxUsesPerTool)
	}
}

// clear forgets everything, the file too.
func (u *usageLog) clear() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.uses, u.dirty = nil, false
	u.recount()
	return u.file.remove()
}

// save writes the log if it has changed. It holds mu to the end, so that what
// is cleared meanwhile does not come back.
func (u *usageLog) save() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.dirty {
		return nil
	}
	if err := u.file.write(u.uses); err != nil {
		return err
	}
	u.dirty = false
	return nil
}
