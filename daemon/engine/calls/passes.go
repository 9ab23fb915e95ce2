package calls

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/storage"
	"github.com/winnow-mcp/winnow/protocol"
)

// pass is that what one server answers may go to another, in one folder: the
// name of a server means another one elsewhere.
type pass struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Folder string `json:"folder"`
	Since  int64  `json:"since"`
}

func (p *pass) is(from, to, folder string) bool {
	return p.From == from && p.To == to && p.Folder == folder
}

// Passes are the pairs of servers between which the user lets results pass. It is
// safe for concurrent use, also by several processes on one storage.
type Passes struct {
	blobs storage.Folder
	// folder is that of the session.
	folder func() string

	// mu guards all, which is what there is without a storage, and is held while
	// pairs are read and written, which is when a result is passed on.
	mu  sync.Mutex
	all []pass
}

const passesName = "pairs"

// OpenPasses returns the pairs that are kept in the storage path, if there is
// one, for the session on a folder. A file that cannot be used is begun anew, and
// the error says so.
func OpenPasses(storagePath string, folder func() string) (*Passes, error) {
	p := &Passes{folder: folder}
	if storagePath != "" {
		p.blobs = storage.Folder{Dir: storagePath, Suffix: ".passes", Format: "passes 1"}
	}
	_, err := p.blobs.Read(passesName)
	return p, err
}

// load returns the pairs; none where they cannot be read. The caller holds mu.
func (p *Passes) load() []pass {
	if p.blobs.Dir == "" {
		return slices.Clone(p.all)
	}
	var all []pass
	data, err := p.blobs.Read(passesName)
	if err != nil || json.Unmarshal(data, &all) != nil {
		return nil
	}
	return all
}

// Allowed reports whether what a server answers may go to another.
func (p *Passes) Allowed(from, to string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	folder := p.folder()
	return slices.ContainsFunc(p.load(), func(one pass) bool { return one.is(from, to, folder) })
}

// Allow remembers that it may.
func (p *Passes) Allow(from, to string, now time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	all, folder := p.load(), p.folder()
	if slices.ContainsFunc(all, func(one pass) bool { return one.is(from, to, folder) }) {
		return nil
	}
	return p.keep(append(all, pass{from, to, folder, now.UnixMilli()}))
}

// keep takes pairs over, and writes them. The caller holds mu.
func (p *Passes) keep(all []pass) error {
	if p.blobs.Dir == "" {
		p.all = all
		return nil
	}
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return p.blobs.Write(passesName, data)
}

// List lists the pairs of every folder, as approvals: Server is whose results
// pass, To to whom.
func (p *Passes) List() []protocol.Approval {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []protocol.Approval
	for _, one := range p.load() {
		all = append(all, protocol.Approval{Server: one.From, To: one.To, Folder: one.Folder, Since: one.Since})
	}
	return all
}

// Revoke takes one of those back.
func (p *Passes) Revoke(_ context.Context, a protocol.Approval) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.keep(slices.DeleteFunc(p.load(), func(one pass) bool { return one.is(a.Server, a.To, a.Folder) }))
}
