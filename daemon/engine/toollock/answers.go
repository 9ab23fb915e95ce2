package toollock

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router/lock"
	"github.com/winnow-mcp/winnow/router/scan"
)

// List returns what waits for the user, and what the user keeps as it was.
func (k *Keeper) List() protocol.LockListResult {
	result := protocol.LockListResult{Mode: k.options.Mode(), Changes: []protocol.LockChange{}}
	type pair struct {
		change        protocol.LockChange
		before, after json.RawMessage
	}
	var pairs []pair
	k.mu.Lock()
	for id, s := range k.servers {
		for key, now := range s.now {
			if !waits(now.verdict.State) {
				continue
			}
			kind, name := split(key)
			pairs = append(pairs, pair{protocol.LockChange{
				LockRef: protocol.LockRef{Server: id.name, Kind: kind, Name: name},
				State:   now.verdict.State, Held: now.verdict.Held, Kept: now.verdict.Kept, Parts: now.verdict.Parts,
			}, s.before(key), now.raw})
		}
	}
	k.mu.Unlock()
	for _, p := range pairs {
		p.change.Highlights = lock.Highlights(p.before, p.after, scan.Addresses)
		result.Changes = append(result.Changes, p.change)
	}
	slices.SortFunc(result.Changes, func(a, b protocol.LockChange) int {
		return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return result
}

// waits reports whether something in a state waits for the user.
func waits(state protocol.LockState) bool {
	return state == protocol.LockChanged || state == protocol.LockUnlisted || state == protocol.LockDamaged
}

// Unanswered returns how many changes of a server the user has not answered.
func (k *Keeper) Unanswered(name string, host bool) int {
	id := k.identity(Server{Name: name, Host: host})
	k.mu.Lock()
	defer k.mu.Unlock()
	n := 0
	if s := k.servers[id]; s != nil {
		for _, now := range s.now {
			if v := &now.verdict; v.State == protocol.LockChanged && !v.Kept || v.State == protocol.LockDamaged {
				n++
			}
		}
	}
	return n
}

// before returns the locked side of something; nil when it is not known. The
// caller holds mu.
func (s *server) before(key lock.Key) json.RawMessage {
	item, ok := s.record.Items[key]
	if !ok || item.Same(s.now[key].entry) {
		return nil
	}
	return item.Raw
}

// Diff returns both sides of a change.
func (k *Keeper) Diff(p *protocol.LockRef) (protocol.LockDiffResult, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	key := lock.KeyOf(p.Kind, p.Name)
	for id, s := range k.servers {
		if now, ok := s.now[key]; ok && id.name == p.Server {
			return protocol.LockDiffResult{Before: lock.Document(s.before(key)), After: lock.Document(now.raw)}, nil
		}
	}
	return protocol.LockDiffResult{}, unknown(p.Server, p.Kind, p.Name)
}

func unknown(server string, kind protocol.LockKind, name string) error {
	return failure.New(protocol.KindInvalidParams, "Take what lock/list tells.", "server %q offers no %s %q now, or winnow.lock is off", server, kind, name).OfServer(server)
}

// Approve notes that the user approves of what a server says now.
func (k *Keeper) Approve(p *protocol.LockDecideParams) (protocol.LockDecideResult, error) {
	return k.decide(p, Approved, func(item lock.Item, now *current) (lock.Item, bool) {
		return item.Approve(now.entry, now.raw, k.at()), now.verdict.State != protocol.LockApproved
	})
}

// Keep notes that the user has seen changes, and keeps what is locked.
func (k *Keeper) Keep(p *protocol.LockDecideParams) (protocol.LockDecideResult, error) {
	return k.decide(p, Kept, func(item lock.Item, now *current) (lock.Item, bool) {
		return item.Keep(now.entry, k.at()), now.verdict.State == protocol.LockChanged && !now.verdict.Kept
	})
}

// decide changes the items that an answer is about.
func (k *Keeper) decide(p *protocol.LockDecideParams, action string, change func(item lock.Item, now *current) (lock.Item, bool)) (protocol.LockDecideResult, error) {
	before := map[identity]*lock.Record{}
	found := false
	var keys []lock.Key
	k.mu.Lock()
	for id, s := range k.servers {
		if id.name != p.Server {
			continue
		}
		next := map[lock.Key]lock.Item{}
		for key, now := range s.now {
			kind, name := split(key)
			if p.Kind != "" && (p.Kind != kind || p.Name != name) {
				continue
			}
			found = true
			if item, changed := change(s.record.Items[key], &now); changed {
				next[key] = item
				keys = append(keys, key)
			}
		}
		if len(next) > 0 {
			before[id] = s.record
			s.record, s.damaged = s.record.With(next), false
			k.changed(id)
		}
	}
	result := protocol.LockDecideResult{Count: len(keys)}
	if len(keys) > 0 {
		result.Undo = k.undo.note(before)
	}
	k.mu.Unlock()
	if !found {
		return result, unknown(p.Server, p.Kind, p.Name)
	}
	k.tell(action, p.Server, keys)
	return result, nil
}

// Undo takes an answer back. Items that were changed since stay as they are now
// in all but the content: a later answer is taken back with it.
func (k *Keeper) Undo(p *protocol.LockUndoParams) (protocol.LockDecideResult, error) {
	k.mu.Lock()
	before, ok := k.undo.take(p.Undo)
	keys := map[string][]lock.Key{}
	for id, record := range before {
		s := k.server(id)
		next := map[lock.Key]lock.Item{}
		for key, item := range s.record.Items {
			was, known := record.Items[key]
			if known && was.At == item.At {
				continue
			}
			if !known {
				was = lock.First(item.Entry, item.Raw, 0)
			}
			was.At = k.at() // it is the latest that is known of it
			next[key] = was
			keys[id.name] = append(keys[id.name], key)
		}
		s.record = s.record.With(next)
		k.changed(id)
	}
	k.mu.Unlock()
	if !ok {
		return protocol.LockDecideResult{}, failure.New(protocol.KindInvalidParams, "Answer anew in the Servers view.",
			"this answer cannot be taken back any more: it was already, %d others came after it, or winnowd was started anew", maxUndone)
	}
	count := 0
	for server, of := range keys {
		k.tell(Undone, server, of)
		count += len(of)
	}
	return protocol.LockDecideResult{Count: count}, nil
}

// split takes a key apart.
func split(key lock.Key) (protocol.LockKind, string) {
	kind, name, _ := strings.Cut(string(key), ":")
	return protocol.LockKind(kind), name
}

// maxUndone is how many answers can be taken back.
const maxUndone = 16

// undone remembers the records before the last answers.
type undone struct {
	answers []answer
}

type answer struct {
	id     string
	before map[identity]*lock.Record
}

// note remembers records and returns a name for them. A number would be another
// answer's after a restart.
func (u *undone) note(before map[identity]*lock.Record) string {
	a := answer{rand.Text(), before}
	u.answers = append(u.answers, a)
	if len(u.answers) > maxUndone {
		u.answers = slices.Delete(u.answers, 0, 1)
	}
	return a.id
}

// take returns the records of a name, once.
func (u *undone) take(id string) (map[identity]*lock.Record, bool) {
	i := slices.IndexFunc(u.answers, func(a answer) bool { return a.id == id })
	if i < 0 {
		return nil, false
	}
	before := u.answers[i].before
	u.answers = slices.Delete(u.answers, i, i+1)
	return before, true
}
