package toollock

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/trust/lock"
	"github.com/winnow-mcp/winnow/protocol"
)

// Approvals holds the user's approvals in a lock.
type Approvals struct{ Keeper *Keeper }

// Ran lists the tools declared read-only that the user has let run.
func (a Approvals) Ran() []protocol.Approval {
	var all []protocol.Approval
	a.each(func(id identity, key lock.Key, item lock.Item) {
		if item.Confirmed && item.State != protocol.LockApproved {
			_, name := split(key)
			all = append(all, approvalOf(id, protocol.Approval{Tool: name, Since: item.At}))
		}
	})
	return all
}

// Reviewed lists the servers of which the user has approved something.
func (a Approvals) Reviewed() []protocol.Approval {
	found := map[identity]*protocol.Approval{}
	a.each(func(id identity, _ lock.Key, item lock.Item) {
		if item.State != protocol.LockApproved {
			return
		}
		if found[id] == nil {
			first := approvalOf(id, protocol.Approval{})
			found[id] = &first
		}
		found[id].Count++
		found[id].Since = max(found[id].Since, item.At)
	})
	var all []protocol.Approval
	for _, one := range found {
		all = append(all, *one)
	}
	return all
}

// Withdraw revokes one of those. Its items then count as seen, but not as reviewed.
func (a Approvals) Withdraw(taken protocol.Approval) {
	k := a.Keeper
	var names []string
	k.mu.Lock()
	for id, s := range k.servers {
		if own := approvalOf(id, protocol.Approval{}); own.Server != taken.Server || own.Folder != taken.Folder {
			continue
		}
		withdraw := func(items map[lock.Key]lock.Item) map[lock.Key]lock.Item {
			changed := map[lock.Key]lock.Item{}
			for key, item := range items {
				_, name := split(key)
				if taken.Kind == protocol.ApprovalRan && (name != taken.Tool || !item.Confirmed) || taken.Kind == protocol.ApprovalReviewed && item.State != protocol.LockApproved {
					continue
				}
				changed[key] = item.Withdraw(k.at())
				names = append(names, string(key))
			}
			return changed
		}
		now, former := withdraw(s.record.Items), withdraw(s.record.Former)
		if len(now)+len(former) > 0 {
			s.record = s.record.With(now).WithFormer(former)
			k.changed(id)
		}
	}
	k.mu.Unlock()
	if len(names) > 0 {
		k.flush() // other processes read it next
		k.options.Record(Event{Action: Withdrawn, Server: taken.Server, Names: names})
		k.options.Changed()
	}
}

// Waiting is an item that waits for an answer, as its server has it now.
type Waiting struct {
	Folder, Server string
	Key            lock.Key
	Entry          lock.Entry
	Raw            json.RawMessage
}

// Waiting returns the waiting items of the daemon's own servers, in order.
func (a Approvals) Waiting() []Waiting {
	k := a.Keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	var all []Waiting
	for id, s := range k.servers {
		for key, now := range s.ownNow() {
			if waits(now.verdict.State) {
				all = append(all, Waiting{id.folder, id.name, key, now.entry, now.raw})
			}
		}
	}
	slices.SortFunc(all, func(a, b Waiting) int {
		return cmp.Or(cmp.Compare(a.Folder, b.Folder), cmp.Compare(a.Server, b.Server), cmp.Compare(a.Key, b.Key))
	})
	return all
}

// Refresh reads what other processes have written.
func (a Approvals) Refresh() {
	k := a.Keeper
	records, err := k.records.All()
	if err != nil {
		k.options.Log.Debug("the lock on tools is not read again", "error", err)
	}
	k.mu.Lock()
	for _, record := range records {
		s := k.server(identity{record.Folder, record.Server})
		s.record = s.record.Merge(record)
	}
	k.mu.Unlock()
	k.options.Changed()
}

// each calls f for each item of each server.
func (a Approvals) each(f func(id identity, key lock.Key, item lock.Item)) {
	k := a.Keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, s := range k.servers {
		for _, items := range []map[lock.Key]lock.Item{s.record.Items, s.record.Untaken()} {
			for key, item := range items {
				f(id, key, item)
			}
		}
	}
}

// approvalOf returns an approval of a server. For a server that a host runs, the folder
// is the host's name.
func approvalOf(id identity, a protocol.Approval) protocol.Approval {
	a.Server, a.Folder = id.name, strings.TrimPrefix(id.folder, hostFolder)
	return a
}
