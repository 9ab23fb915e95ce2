package calls

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/storage"
	"github.com/winnow-mcp/winnow/protocol"
)

// pass allows results of one server to go to another, within one folder, because names of
// servers differ between folders. With a task it applies to that task only.
type pass struct {
	// Principal gave the permission. The zero value, from earlier versions, means
	// [principal.Local].
	Principal principal.Principal `json:"principal,omitzero"`
	From      string              `json:"from"`
	To        string              `json:"to"`
	Folder    string              `json:"folder"`
	Task      string              `json:"task,omitempty"`
	Since     int64               `json:"since"`
}

func (p *pass) is(owner principal.Principal, from, to, folder, task string) bool {
	return cmp.Or(p.Principal, principal.Local) == cmp.Or(owner, principal.Local) && p.From == from && p.To == to && p.Folder == folder && p.Task == task
}

// Passes holds the pairs of servers between which users let results pass. Safe for
// concurrent use, also by several processes on one storage.
type Passes struct {
	blobs storage.Folder
	// folder returns the folder of the session.
	folder func() string

	// mu guards the pairs of this session: those of tasks, and all pairs without storage.
	mu      sync.Mutex
	session []pass
}

const passesName = "pairs"

// OpenPasses returns the pairs stored in the storage path, if any, for the session on a
// folder. The error reports an unusable file. No pair in it applies, and none is stored
// until it is removed.
func OpenPasses(storagePath string, folder func() string) (*Passes, error) {
	p := &Passes{folder: folder}
	if storagePath != "" {
		p.blobs = storage.Folder{Dir: storagePath, Suffix: ".passes", Format: "passes 1"}
	}
	_, err := p.blobs.Read(passesName)
	return p, err
}

// load returns the stored pairs.
func (p *Passes) load() ([]pass, error) {
	var all []pass
	data, err := p.blobs.Read(passesName)
	if err != nil || data == nil {
		return nil, err
	}
	return all, json.Unmarshal(data, &all)
}

// all returns all pairs, without the stored ones if they cannot be read.
func (p *Passes) all() []pass {
	kept, _ := p.load()
	p.mu.Lock()
	defer p.mu.Unlock()
	return append(kept, p.session...)
}

// Allowed reports whether an owner lets results of one server go to another in a task.
func (p *Passes) Allowed(owner principal.Principal, from, to, task string) bool {
	folder := p.folder()
	return slices.ContainsFunc(p.all(), func(one pass) bool {
		return one.is(owner, from, to, folder, "") || one.is(owner, from, to, folder, task)
	})
}

// Allow stores that permission. With a task it applies to that task, for this session.
func (p *Passes) Allow(owner principal.Principal, from, to, task string, now time.Time) error {
	one := pass{owner, from, to, p.folder(), task, now.UnixMilli()}
	return p.change(task, func(all []pass) []pass {
		if slices.ContainsFunc(all, func(other pass) bool { return other.is(owner, from, to, one.Folder, task) }) {
			return all
		}
		return append(all, one)
	})
}

// change applies a change to the pairs of a task, or to the stored pairs, which other
// processes may change at the same time.
func (p *Passes) change(task string, apply func(all []pass) []pass) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if task != "" || p.blobs.Dir == "" {
		p.session = apply(p.session)
		return nil
	}
	unlock, err := p.blobs.Lock(passesName)
	if err != nil {
		return err
	}
	defer unlock()
	all, err := p.load()
	if err != nil {
		return fmt.Errorf("read %s, which can be deleted: %w", p.blobs.Path(passesName), err)
	}
	data, err := json.Marshal(apply(all))
	if err != nil {
		return err
	}
	return p.blobs.Write(passesName, data)
}

// List returns the local user's pairs in all folders as approvals: results of Server may
// go to To.
func (p *Passes) List() []protocol.Approval {
	var all []protocol.Approval
	for _, one := range p.all() {
		if !one.is(principal.Local, one.From, one.To, one.Folder, one.Task) {
			continue
		}
		all = append(all, protocol.Approval{Server: one.From, To: one.To, Folder: one.Folder, Task: one.Task, Since: one.Since})
	}
	return all
}

// Revoke revokes one of these.
func (p *Passes) Revoke(_ context.Context, a protocol.Approval) error {
	return p.change(a.Task, func(all []pass) []pass {
		return slices.DeleteFunc(all, func(one pass) bool { return one.is(principal.Local, a.Server, a.To, a.Folder, a.Task) })
	})
}
