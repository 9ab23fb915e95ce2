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

// pass is that what one server answers may go to another, in one folder: the
// name of a server means another one elsewhere. With a task it is for that alone.
type pass struct {
	// Principal is who said so; the zero value, of earlier versions, is
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

// Passes are the pairs of servers between which users let results pass. It is
// safe for concurrent use, also by several processes on one storage.
type Passes struct {
	blobs storage.Folder
	// folder is that of the session.
	folder func() string

	// mu guards those of this session: of tasks, and all where there is no storage.
	mu      sync.Mutex
	session []pass
}

const passesName = "pairs"

// OpenPasses returns the pairs that are kept in the storage path, if there is
// one, for the session on a folder. The error says that a file cannot be used: no
// pair of it counts, and none is kept until it is gone.
func OpenPasses(storagePath string, folder func() string) (*Passes, error) {
	p := &Passes{folder: folder}
	if storagePath != "" {
		p.blobs = storage.Folder{Dir: storagePath, Suffix: ".passes", Format: "passes 1"}
	}
	_, err := p.blobs.Read(passesName)
	return p, err
}

// load returns the pairs that are kept.
func (p *Passes) load() ([]pass, error) {
	var all []pass
	data, err := p.blobs.Read(passesName)
	if err != nil || data == nil {
		return nil, err
	}
	return all, json.Unmarshal(data, &all)
}

// all returns the pairs; those that are kept only where they can be read.
func (p *Passes) all() []pass {
	kept, _ := p.load()
	p.mu.Lock()
	defer p.mu.Unlock()
	return append(kept, p.session...)
}

// Allowed reports whether an owner lets what a server answers go to another, in a
// task.
func (p *Passes) Allowed(owner principal.Principal, from, to, task string) bool {
	folder := p.folder()
	return slices.ContainsFunc(p.all(), func(one pass) bool {
		return one.is(owner, from, to, folder, "") || one.is(owner, from, to, folder, task)
	})
}

// Allow remembers that it may: with a task in that, as long as the session lasts.
func (p *Passes) Allow(owner principal.Principal, from, to, task string, now time.Time) error {
	one := pass{owner, from, to, p.folder(), task, now.UnixMilli()}
	return p.change(task, func(all []pass) []pass {
		if slices.ContainsFunc(all, func(other pass) bool { return other.is(owner, from, to, one.Folder, task) }) {
			return all
		}
		return append(all, one)
	})
}

// change changes the pairs of a task, or those that are kept, which other
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

// List lists the pairs of the user of the machine, of every folder, as approvals:
// Server is whose results pass, To to whom.
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

// Revoke takes one of those back.
func (p *Passes) Revoke(_ context.Context, a protocol.Approval) error {
	return p.change(a.Task, func(all []pass) []pass {
		return slices.DeleteFunc(all, func(one pass) bool { return one.is(principal.Local, a.Server, a.To, a.Folder, a.Task) })
	})
}
