package learned

import (
	"slices"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/router"
)

// Bounds on recent use.
const (
	maxUses   = 200
	recentUse = 14 * 24 * time.Hour
	// maxUsesPerTool bounds the bonus of a tool that is called in a loop.
	maxUsesPerTool = 10
)

// Uses records which tools were called recently in this workspace. It stores no
// arguments, and stays on this machine.
type Uses struct {
	file file
	now  func() time.Time

	// mu guards the following fields.
	mu     sync.Mutex
	uses   []use // oldest first
	counts router.Usage
	fresh  []use // not in the file yet
}

// use is one call of a tool.
type use struct {
	Server string    `json:"server"`
	Tool   string    `json:"tool"`
	At     time.Time `json:"at"`
}

// OpenUses reads the log of a workspace. If it is unreadable, it starts empty and the
// error says so.
func OpenUses(storage string, now func() time.Time) (*Uses, error) {
	u := &Uses{file: newFile(storage, "usage", "usage log", 1), now: now}
	if _, err := u.file.read(&u.uses); err != nil {
		u.uses = nil
		return u, err
	}
	u.recount()
	return u, nil
}

// Record records a call of a tool at the present time.
func (u *Uses) Record(id router.ToolID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	one := use{id.Server, id.Tool, u.now()}
	u.uses, u.fresh = append(u.uses, one), append(u.fresh, one)
	u.recount()
}

// Usage returns the recent uses by tool.
func (u *Uses) Usage() router.Usage {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.counts
}

// recount drops old uses and counts the rest into a new map, because views share the
// current one. Callers must hold mu or be the only user.
func (u *Uses) recount() {
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

// Clear deletes everything, including the file.
func (u *Uses) Clear() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.uses, u.fresh = nil, nil
	u.recount()
	return u.file.remove()
}

// Save adds the new uses to the current file, which another window of the workspace may
// have changed or cleared. It holds mu throughout, so that a concurrent Clear is not
// undone.
func (u *Uses) Save() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.fresh) == 0 || !u.file.keeps() {
		u.fresh = nil
		return nil
	}
	var kept []use
	if _, err := u.file.read(&kept); err == nil {
		u.uses = append(kept, u.fresh...)
		slices.SortStableFunc(u.uses, func(a, b use) int { return a.At.Compare(b.At) })
		u.recount()
	} // else it is unusable and replaced
	if err := u.file.write(u.uses); err != nil {
		return err
	}
	u.fresh = nil
	return nil
}
