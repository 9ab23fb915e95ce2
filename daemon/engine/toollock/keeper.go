package toollock

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
	"github.com/winnow-mcp/winnow/router/lock"
)

// Options are what a [Keeper] works with.
type Options struct {
	// Storage is the storage path, in a folder of which the lock is kept; empty
	// keeps it in memory.
	Storage string
	// Mode returns the setting `winnow.lock`.
	Mode func() protocol.LockMode
	// Configuration returns the configuration in force.
	Configuration func() *workspace.Configuration
	// Changed asks for another version of the catalogues.
	Changed func()
	// Record is told what becomes of the lock.
	Record func(e Event)
	Now    func() time.Time
	Log    *slog.Logger
}

// Event is something that became of the lock.
type Event struct {
	// Action is one of those below.
	Action string
	Server string
	// Names are the tools, prompts and instructions that it is about, such as
	// `tool:send`.
	Names []string
}

// What can become of the lock.
const (
	// Seen: a server said something for the first time.
	Seen = "seen"
	// Changed: a server says something else than is locked.
	Changed = "changed"
	// Approved: the user approved of what a server says.
	Approved = "approved"
	// Kept: the user keeps what is locked.
	Kept = "kept"
	// Confirmed: the user let a tool run that says it only reads.
	Confirmed = "confirmed"
	// Allowed: the user allowed a tool to run without asking.
	Allowed = "allowed"
	// Undone: the user took an answer back.
	Undone = "undone"
)

// Keeper is the user's lock. It is safe for concurrent use.
type Keeper struct {
	options Options
	files   files
	wake    chan struct{}
	last    atomic.Int64 // see at

	// mu guards what follows. It is held for no I/O and no hashing.
	mu      sync.Mutex
	servers map[identity]*server
	dirty   map[identity]bool
	undo    undone
}

// identity is a server's: the same name in another workspace folder, or handed
// over by a host, is another server.
type identity struct{ folder, name string }

// hostFolder stands for the folder of servers that hosts run themselves. No
// path begins so.
const hostFolder = "\x00host"

// server is what is known of one server.
type server struct {
	// record is never nil.
	record *lock.Record
	// damaged: what was kept cannot be read, and all is held back.
	damaged bool
	// now is what the server said last.
	now map[lock.Key]current
	// last is what was applied last, and to what.
	last lastApplied
}

// current is one thing as the server says it now.
type current struct {
	entry   lock.Entry
	raw     json.RawMessage
	verdict lock.Verdict
}

// Open reads what was kept. The error says what is damaged, and the lock can be
// used all the same: of those servers everything is held back.
func Open(o Options) (*Keeper, error) {
	k := &Keeper{
		options: o, wake: make(chan struct{}, 1), servers: map[identity]*server{}, dirty: map[identity]bool{},
	}
	k.files = filesIn(o.Storage)
	records, err := k.files.readAll()
	for _, record := range records {
		k.servers[identity{record.Folder, record.Server}] = &server{record: record}
	}
	return k, err
}

// server returns what is known of a server. The caller holds mu.
func (k *Keeper) server(id identity) *server {
	s := k.servers[id]
	if s == nil {
		s = &server{
			record:  &lock.Record{Version: lock.Version, Folder: id.folder, Server: id.name},
			damaged: k.files.damaged[fileName(id)],
		}
		k.servers[id] = s
	}
	return s
}

// Run writes what changes until ctx ends, and what is left then.
func (k *Keeper) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			k.flush()
			return
		case <-k.wake:
			k.flush()
		}
	}
}

// changed marks a server's record as one to write. The caller holds mu.
func (k *Keeper) changed(id identity) {
	k.dirty[id] = true
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// flush writes the records that have changed. What another process has written
// meanwhile is taken in.
func (k *Keeper) flush() {
	k.mu.Lock()
	records := map[identity]*lock.Record{}
	for id := range k.dirty {
		records[id] = k.servers[id].record
	}
	clear(k.dirty)
	k.mu.Unlock()
	var failed []error
	for id, record := range records {
		merged, err := k.files.write(id, record)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		if merged == record {
			continue
		}
		k.mu.Lock()
		s := k.server(id)
		s.record = s.record.Merge(merged)
		k.mu.Unlock()
		k.options.Changed()
	}
	if err := errors.Join(failed...); err != nil {
		k.options.Log.Error("the lock on tools is not kept for the next run", "error", err)
	}
}

// at is the time as records have it. No two answers have the same: what came
// later is told by it.
func (k *Keeper) at() int64 {
	for {
		last := k.last.Load()
		now := max(k.options.Now().UnixMilli(), last+1)
		if k.last.CompareAndSwap(last, now) {
			return now
		}
	}
}

// Confirmed notes that the user has let a tool run as it is: what its server
// says of the harm it does counts from now on.
func (k *Keeper) Confirmed(id router.ToolID) {
	k.amend(id, Confirmed, func(item lock.Item) (lock.Item, bool) {
		return item.Confirm(k.at()), !item.Confirmed
	})
}

// Allowed notes that the user has allowed a tool to run without asking, as it is
// now.
func (k *Keeper) Allowed(id router.ToolID) {
	k.amend(id, Allowed, func(item lock.Item) (lock.Item, bool) { return item.Allow(k.at()), item.Asks })
}

// amend changes the item of a tool of the daemon's own servers, if there is one
// that is as its server says it.
func (k *Keeper) amend(id router.ToolID, action string, change func(lock.Item) (lock.Item, bool)) {
	server := identity{k.options.Configuration().Locked(id.Server).Folder, id.Server}
	key := lock.KeyOf(protocol.LockTool, id.Tool)
	k.mu.Lock()
	s := k.server(server)
	item, ok := s.record.Items[key]
	now, offered := s.now[key]
	amended := false
	if ok && offered && item.Same(now.entry) {
		if item, amended = change(item); amended {
			s.record = s.record.With(map[lock.Key]lock.Item{key: item})
			k.changed(server)
		}
	}
	k.mu.Unlock()
	if amended {
		k.options.Record(Event{Action: action, Server: id.Server, Names: []string{string(key)}})
		k.options.Changed()
	}
}
