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

// Options configures a [Keeper].
type Options struct {
	// Storage is the storage path with the folder of the lock; "" keeps the lock in
	// memory.
	Storage string
	// Records replaces that folder; nil means the folder.
	Records Records
	// Mode returns the setting `winnow.lock`.
	Mode func() protocol.LockMode
	// Configuration returns the configuration in force.
	Configuration func() *workspace.Configuration
	// Changed requests another version of the catalogues.
	Changed func()
	// Record receives the events of the lock.
	Record func(e Event)
	// Warn is called when answers cannot be stored, once until they can be again.
	Warn func(err error)
	Now  func() time.Time
	Log  *slog.Logger
}

// Event is what happened to items of a server in the lock: new or changed content, or a
// decision of the user.
type Event struct {
	// Action is one of the constants below.
	Action string
	Server string
	// Names holds the tools, prompts and instructions concerned, such as `tool:send`.
	Names []string
}

// Actions of an [Event].
const (
	// Seen: a server said something for the first time.
	Seen = "seen"
	// Changed: a server's content differs from the locked one.
	Changed = "changed"
	// Approved: the user approved what a server says.
	Approved = "approved"
	// Kept: the user keeps the locked version.
	Kept = "kept"
	// Confirmed: the user let a tool run that is declared read-only.
	Confirmed = "confirmed"
	// Allowed: the user allowed a tool to run without confirmation.
	Allowed = "allowed"
	// Undone: the user undid an answer.
	Undone = "undone"
	// Withdrawn: the user revoked an approval.
	Withdrawn = "withdrawn"
)

// Keeper is the user's lock. It is safe for concurrent use.
type Keeper struct {
	options Options
	records Records
	wake    chan struct{}
	last    atomic.Int64 // see at

	// writing is held by flush, so that an older record never overwrites a newer one.
	writing sync.Mutex

	// mu guards the following fields. It is not held during I/O or hashing.
	mu      sync.Mutex
	servers map[identity]*server
	dirty   map[identity]bool
	// unkept reports that dirty records could not be written and the user knows.
	unkept bool
	undo   undone
}

// identity identifies a server. The same name in another workspace folder or from a host
// is another server.
type identity struct{ folder, name string }

// hostFolder prefixes the folder of servers that hosts run themselves. No path begins
// with it.
const hostFolder = "\x00host:"

// hostIdentity returns the identity of a server that a host runs itself. It is the same
// for all lists of the host.
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
	// earlier reports that the record is from an earlier run.
	earlier bool
	// said is the server's latest content by source; empty while the server is not
	// present.
	said map[string]*said
}

// said is a server's latest content in one source, one of the lists of its host.
type said struct {
	// now is replaced, never modified; see [said.become].
	now map[lock.Key]current
	// standing returns its summary, which is computed at the first call.
	standing func() Standing
	// last caches the last result of Apply and its input.
	last lastApplied
}

// current is one item of a server's current content.
type current struct {
	entry   lock.Entry
	content string
	raw     json.RawMessage
	verdict lock.Verdict
	// host is the host's name of a tool, where the key has the server's own.
	host string
}

// Open reads the stored lock. The error names what is damaged. The lock is usable
// nevertheless, and holds back everything of those servers.
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

// server returns the state of a server. Callers must hold mu.
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

// find returns the state of a present server by its name in a source, or nil. The
// daemon's own servers are also in hosts' lists. Callers must hold mu.
func (k *Keeper) find(source, name string) (identity, *server) {
	for _, source := range []string{source, protocol.OwnSource} {
		id := k.identity(source, name)
		if s := k.servers[id]; s != nil && len(s.said) > 0 {
			return id, s
		}
	}
	return identity{}, nil
}

// in returns a server's latest content in a source. Callers must hold mu.
func (s *server) in(source string) *said {
	if s.said[source] == nil {
		s.said[source] = &said{}
		s.said[source].become(map[lock.Key]current{})
	}
	return s.said[source]
}

// become sets the server's content.
func (s *said) become(now map[lock.Key]current) {
	s.now, s.standing = now, sync.OnceValue(func() Standing { return standingOf(now) })
}

// ownNow returns the content of one of the daemon's own servers, or nil if it is not
// present. Callers must hold mu.
func (s *server) ownNow() map[lock.Key]current {
	if said := s.said[protocol.OwnSource]; said != nil {
		return said.now
	}
	return nil
}

// sources returns the names of the lists that a server is in, first first. Callers must
// hold mu.
func (s *server) sources(first string) []string {
	sources := slices.Sorted(maps.Keys(s.said))
	if i := slices.Index(sources, first); i > 0 {
		sources = slices.Insert(slices.Delete(sources, i, i+1), 0, first)
	}
	return sources
}

// at returns the time for records. It is unique, so that it orders answers.
func (k *Keeper) at() int64 {
	for {
		last := k.last.Load()
		now := max(k.options.Now().UnixMilli(), last+1)
		if k.last.CompareAndSwap(last, now) {
			return now
		}
	}
}

// Confirmed records that the user has let a tool run as it is. Its server's annotations
// about harm are trusted from now on.
func (k *Keeper) Confirmed(id router.ToolID) {
	k.amend(id, Confirmed, func(item lock.Item) (lock.Item, bool) {
		return item.Confirm(k.at()), !item.Confirmed
	})
}

// Allowed records that the user has allowed a tool to run without confirmation, with its
// current content.
func (k *Keeper) Allowed(id router.ToolID) {
	k.amend(id, Allowed, func(item lock.Item) (lock.Item, bool) { return item.Allow(k.at()), item.Asks })
}

// amend changes the item of a tool of the daemon's own servers, if it matches the
// server's content or was approved before.
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

// Run writes changed records until ctx ends, and the rest then.
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
			k.flush() // what could not be written before
		}
	}
}

// retryAfter is the delay before a failed write is retried.
const retryAfter = 30 * time.Second

// changed marks a server's record for writing. Callers must hold mu.
func (k *Keeper) changed(id identity) {
	k.dirty[id] = true
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// flush writes the changed records and merges what other processes have written. Records
// that cannot be written stay pending.
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

// tellUnkept warns the user of records that cannot be written, once until they can be.
func (k *Keeper) tellUnkept(err error) {
	k.mu.Lock()
	news := err != nil && !k.unkept
	k.unkept = err != nil
	k.mu.Unlock()
	if news {
		k.options.Warn(fmt.Errorf("the lock on tools cannot be written, and answers are lost with this session unless it can be by then: %w", err))
	}
}
