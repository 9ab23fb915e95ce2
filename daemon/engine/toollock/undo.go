package toollock

import (
	"crypto/rand"
	"maps"
	"slices"

	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/trust/lock"
	"github.com/winnow-mcp/winnow/protocol"
)

// maxUndone is how many answers can be undone.
const maxUndone = 16

// undone holds the state before the last answers.
type undone struct {
	answers []answer
}

// answer is the state before one answer.
type answer struct {
	name   string
	id     identity
	damage lock.Damage
	// items holds the items that the answer changed; nil for a new one.
	items map[lock.Key]*lock.Item
}

// note stores what an answer is about to change of a record, and returns a random name
// for it. A number could refer to another answer after a restart.
func (u *undone) note(id identity, record *lock.Record, next map[lock.Key]lock.Item) string {
	a := answer{name: rand.Text(), id: id, damage: record.Damage, items: map[lock.Key]*lock.Item{}}
	for key := range next {
		a.items[key] = nil
		if item, known := record.Items[key]; known {
			a.items[key] = &item
		}
	}
	u.answers = append(u.answers, a)
	if len(u.answers) > maxUndone {
		u.answers = slices.Delete(u.answers, 0, 1)
	}
	return a.name
}

// take returns and removes the state before the answer of a name.
func (u *undone) take(name string) (answer, bool) {
	i := slices.IndexFunc(u.answers, func(a answer) bool { return a.name == name })
	if i < 0 {
		return answer{}, false
	}
	a := u.answers[i]
	u.answers = slices.Delete(u.answers, i, i+1)
	return a, true
}

// Undo undoes an answer, and later ones about the same items.
func (k *Keeper) Undo(p *protocol.LockUndoParams) (protocol.LockDecideResult, error) {
	k.mu.Lock()
	a, ok := k.undo.take(p.Undo)
	if !ok {
		k.mu.Unlock()
		return protocol.LockDecideResult{}, failure.New(protocol.KindInvalidParams, "Answer anew in the Servers view.",
			"this answer cannot be taken back any more: it was already, %d others came after it, or winnowd was started anew", maxUndone)
	}
	s := k.server(a.id)
	before := a.undo(s.record, k.at())
	s.record = s.record.With(before)
	if a.damage.Damaged {
		s.record.Damage = lock.Damage{Damaged: true, At: k.at()}
	}
	k.changed(a.id)
	k.mu.Unlock()
	k.tell(Undone, a.id.name, slices.Collect(maps.Keys(before)))
	return resultOf(before), nil
}

// undo returns the former items, each with a new time. An item that was not known before
// becomes unapproved; in a damaged record, its former state is unknown.
func (a *answer) undo(record *lock.Record, at int64) map[lock.Key]lock.Item {
	items := map[lock.Key]lock.Item{}
	for key, was := range a.items {
		switch {
		case was != nil:
			items[key] = *was
		case a.damage.Damaged:
			items[key] = lock.Unknown(at)
		default:
			now := record.Items[key]
			items[key] = lock.First(now.Entry, now.Raw, at)
		}
		item := items[key]
		item.At = at
		items[key] = item
	}
	return items
}
