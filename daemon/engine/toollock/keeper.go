package toollock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/daemon/trust/lock"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// Options are what a [Keeper] works with.
type Options struct {
	// Storage is the storage path, in a folder of which the lock is kept; empty
	// keeps it in memory.
	Storage string
	// Records keeps the lock in the place of that folder; nil is the folder.
	Records Records
	// Mode returns the setting `winnow.lock`.
	Mode func() protocol.LockMode
	// Configuration returns the configuration in force.
	Configuration func() *workspace.Configuration
	// Changed asks for another version of the catalogues.
	Changed func()
	// Record receives what becomes of the lock.
	Record func(e Event)
	// Warn is called when answers cannot be kept for the next run; once until they
	// can be again.
	Warn func(err error)
	Now  func() time.Time
	Log  *slog.Logger
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
	// Withdrawn: the user took back what was approved, or let run.
	Withdrawn = "withdrawn"
)

// Keeper is the user's lock. It is safe for concurrent use.
type Keeper struct {
	options Options
	records Records
	wake    chan struct{}
	last    atomic.Int64 // see at

	// writing is held by flush, so that an older record is not written over a newer
	// one.
	writing sync.Mutex

	// mu guards what follows. It is held for no I/O, and what servers say is
	// hashed before.
	mu      sync.Mutex
	servers map[identity]*server
	dirty   map[identity]bool
	// unkept: what is dirty could not be written, and the user knows.
	unkept bool
	undo   undone
}

// identity is a server's: the same name in another workspace folder, or handed
// over by a host, is another server.
type identity struct{ folder, name string }

// hostFolder begins what stands for the folder of servers that hosts run
// themselves. No path begins so.
const hostFolder = "\x00host:"

// hostIdentity returns the identity of a server that a host runs itself: one
// server of one host is in several of its lists.
func hostIdentity(source, name string) identity {
	host := source
	if colon := strings.LastIndexByte(source, ':'); colon >= 0 {
		host = source[:colon]
	}
	return identity{hostFolder + host, name}
}

// server is what is known of one server.
type server struct {
	// record is never nil.
	record *lock.Record
	// earlier: the record is of an earlier run.
	earlier bool
	// said is what the server said last, by the source in which it did; empty
	// while the server is not there.
	said map[string]*said
}

// said is what a server said last in one source, one of the lists of its host.
type said struct {
	// now is replaced, never changed; see [said.become].
	now map[lock.Key]current
	// standing sums it up. It hashes when it is called first.
	standing func() Standing
	// last is what was applied last, and to what.
	last lastApplied
}

// current is one thing as the server says it now.
type current struct {
	entry   lock.Entry
	content string
	raw     json.RawMessage
	verdict lock.Verdict
}

// Open reads what was kept. The error says what is damaged, and the lock can be
// used all the same: of those servers everything is held back.
func Open(o Options) (*Keeper, error) {
	k := &Keeper{
		options: o, wake: make(chan struct{}, 1), servers: map[identity]*server{}, dirty: map[identity]bool{},
	}
	if k.records = o.Records; k.records == nil {
		k.records = filesIn(o.Storage)
	}
	records, err := k.records.All()
	for _, record := range records {
		k.servers[identity{record.Folder, record.Server}] = &server{record: record, earlier: true, said: map[string]*said{}}
	}
	return k, err
}

// server returns what is known of a server. The caller holds mu.
func (k *Keeper) server(id identity) *server {
	s := k.servers[id]
	if s == nil {
		record := &lock.Record{Version: lock.Version, Folder: id.folder, Server: id.name}
		if k.records.Damaged(id.folder, id.name) {
			record.Damage = lock.Damage{Damaged: true, At: k.at()}
		}
		s = &server{record: record, said: map[string]*said{}}
		k.servers[id] = s
	}
	return s
}

// find returns what is known of a server that is there, under the name of a
// source; nil where there is none. The daemon's own servers are among the lists
// of hosts as well. The caller holds mu.
func (k *Keeper) find(source, name string) (identity, *server) {
	for _, source := range []string{source, protocol.OwnSource} {
		id := k.identity(source, name)
		if s := k.servers[id]; s != nil && len(s.said) > 0 {
			return id, s
		}
	}
	return identity{}, nil
}

// in returns what a server said last in a source. The caller holds mu.
func (s *server) in(source string) *said {
	if s.said[source] == nil {
		s.said[source] = &said{}
		s.said[source].become(map[lock.Key]current{})
	}
	return s.said[source]
}

// become notes what a server says now.
func (s *said) become(now map[lock.Key]current) {
	s.now, s.standing = now, sync.OnceValue(func() Standing { return standingOf(now) })
}

// ownNow returns what one of the daemon's own servers says now; nil for one that
// is not there. The caller holds mu.
func (s *server) ownNow() map[lock.Key]current {
	if said := s.said[protocol.OwnSource]; said != nil {
		return said.now
	}
	return nil
}

// sources returns the names of the lists that a server is in, the given one
// first. The caller holds mu.
func (s *server) sources(first string) []string {
	sources := slices.Sorted(maps.Keys(s.said))
	if i := slices.Index(sources, first); i > 0 {
		sources = slices.Insert(slices.Delete(sources, i, i+1), 0, first)
	}
	return sources
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
// that is as its server says it, or was approved so before.
func (k *Keeper) amend(id router.ToolID, action string, change func(lock.Item) (lock.Item, bool)) {
	server := k.identity(protocol.OwnSource, id.Server)
	key := lock.KeyOf(protocol.LockTool, id.Tool)
	k.mu.Lock()
	s := k.server(server)
	item, ok := s.record.Items[key]
	now, offered := s.ownNow()[key]
	amended := false
	if ok && offered {
		item, _ = item.Returned(now.entry, now.raw, k.at())
		if item.Same(now.entry) {
			item, amended = change(item)
		}
	}
	if amended {
		s.record = s.record.With(map[lock.Key]lock.Item{key: item})
		k.changed(server)
	}
	k.mu.Unlock()
	if amended {
		k.options.Record(Event{Action: action, Server: id.Server, Names: []string{string(key)}})
		k.options.Changed()
	}
}

// Run writes what changes until ctx ends, and what is left then.
func (k *Keeper) Run(ctx context.Context) {
	again := time.NewTicker(retryAfter)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			k.flush()
			return
		case <-k.wake:
			k.flush()
		case <-again.C:
			k.flush() // what could not be written
		}
	}
}

// retryAfter is how long what could not be written waits.
const retryAfter = 30 * time.Second

// changed marks a server's record as one to write. The caller holds mu.
func (k *Keeper) changed(id identity) {
	k.dirty[id] = true
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// flush writes the records that have changed. What another process has written
// meanwhile is taken in; what cannot be written stays to be written.
func (k *Keeper) flush() {
	k.writing.Lock()
	defer k.writing.Unlock()
	k.mu.Lock()
	records := map[identity]*lock.Record{}
	for id := range k.dirty {
		records[id] = k.servers[id].record
	}
	clear(k.dirty)
	k.mu.Unlock()
	var failed []error
	for id, record := range records {
		merged, err := k.records.Merge(record)
		if err != nil {
			failed = append(failed, fmt.Errorf("of server %q: %w", id.name, err))
		}
		k.mu.Lock()
		if err != nil {
			k.dirty[id] = true
		}
		s := k.server(id)
		news := merged != nil && merged != record
		if news {
			s.record = s.record.Merge(merged)
		}
		k.mu.Unlock()
		if news {
			k.options.Changed()
		}
	}
	if len(records) > 0 {
		k.tellUnkept(errors.Join(failed...))
	}
}

// tellUnkept tells the user of records that cannot be written, once until they
// can be.
func (k *Keeper) tellUnkept(err error) {
	k.mu.Lock()
	news := err != nil && !k.unkept
	k.unkept = err != nil
	k.mu.Unlock()
	if news {
		k.options.Warn(fmt.Errorf("the lock on tools cannot be written, and answers are lost with this session unless it can be by then: %w", err))
	}
}
