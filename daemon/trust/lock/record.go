package lock

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
)

// maxEarlier bounds the remembered approved contents of one item. A server may return to
// one of them without a question.
const maxEarlier = 8

// Record is the user's own lock on one server. Unlike a [File] it holds contents, not
// only hashes: models get the locked content while a change waits, and users see the
// difference. A Record is immutable, except for Upgraded; the other methods return new
// ones.
type Record struct {
	// Version is the version of the format: 1.
	Version int `json:"version"`
	// Folder is the workspace folder whose files define the server; empty for the user's
	// own files.
	Folder string `json:"folder,omitzero"`
	Server string `json:"server"`
	Origin Origin `json:"origin,omitzero"`
	// ReportedVersion is the version that the server last reported.
	ReportedVersion string `json:"reportedVersion,omitzero"`
	// Damage is set if the earlier record could not be read.
	Damage Damage `json:"damage,omitzero"`
	// Known are the kinds that the server has listed, even if empty. New items of these
	// kinds are Joined.
	Known []protocol.LockKind `json:"known,omitzero"`
	// Items maps keys to items.
	Items map[Key]Item `json:"items"`
	// OwnNames reports that the tools of a host's server are by the server's own names
	// in Items. VS Code's names of them may be others after each start.
	OwnNames bool `json:"ownNames,omitzero"`
	// Former holds tools by the names of the host, of a record from before OwnNames; see
	// [Record.TakeOver].
	Former map[Key]Item `json:"former,omitzero"`
}

// Damage records that an earlier record could not be read. Items missing in a damaged
// record are held until a person starts it anew.
type Damage struct {
	Damaged bool `json:"damaged,omitzero"`
	// At is when the damage was found or ended, in milliseconds of Unix time. When two
	// records are merged, the later one counts.
	At int64 `json:"at,omitzero"`
}

// Key is the key of an item within a server: kind and name, such as `tool:send`.
type Key string

// KeyOf returns the key of a kind and a name.
func KeyOf(kind protocol.LockKind, name string) Key { return Key(string(kind) + ":" + name) }

// Item is one thing that a server offers, in the user's lock.
type Item struct {
	Entry

	// Raw is the content as the server sent it: a Tool or Prompt object of MCP, or the
	// instructions as a JSON string.
	Raw json.RawMessage `json:"raw,omitzero"`
	// Earlier are contents that were approved before, the latest first.
	Earlier []Entry `json:"earlier,omitzero"`
	// Kept is the change that the user has rejected.
	Kept *Entry `json:"kept,omitzero"`
	// Asks: `alwaysAllow` is ignored, because it was given for the content before a
	// change.
	Asks bool `json:"asks,omitzero"`
	// Joined is set for an item that the server did not offer at first, until a person
	// has decided.
	Joined *Joined `json:"joined,omitzero"`
	// Confirmed: a person has let the tool run with this content.
	Confirmed bool `json:"confirmed,omitzero"`
	// At is when a person or a server last changed the item, in milliseconds of Unix
	// time. When two records are merged, the later items count.
	At int64 `json:"at"`
}

// Joined holds the findings in an item at the time when its server first offered it. An
// item with findings is held.
type Joined struct {
	Findings []protocol.Finding `json:"findings,omitzero"`
}

// Knows reports whether the server has listed a kind before. Instructions and resources
// count as listed with the tools.
func (r *Record) Knows(kind protocol.LockKind) bool {
	if kind == protocol.LockInstructions || kind == protocol.LockResources {
		kind = protocol.LockTool
	}
	return slices.Contains(r.Known, kind)
}

// Upgraded adds to a record of an earlier version what it lacks: the known kinds, the
// hashes of `_meta`, and the resources. Resources are approved if any item was. It
// changes and returns r.
func (r *Record) Upgraded() *Record {
	if key := KeyOf(protocol.LockResources, ""); len(r.Items) > 0 && !slices.Contains(r.Known, protocol.LockResources) {
		entry, raw := OfferedResources()
		item := First(entry, raw, 0)
		for _, other := range r.Items {
			if other.approved() {
				item.State = protocol.LockApproved
			}
		}
		r.Items[key] = item
	}
	for key, item := range r.Items {
		kind, _ := key.split()
		var err error
		now := item.Entry
		switch kind {
		case protocol.LockTool:
			_, now, err = Tool(item.Raw)
		case protocol.LockPrompt:
			_, now, err = Prompt(item.Raw)
		case protocol.LockInstructions:
			kind = protocol.LockTool
		}
		if !slices.Contains(r.Known, kind) {
			r.Known = append(r.Known, kind)
		}
		if item.Meta == "" && err == nil {
			item.Meta = now.Meta
			r.Items[key] = item
		}
	}
	return r
}

// With returns the record with items added or replaced.
func (r *Record) With(items map[Key]Item) *Record {
	next := *r
	next.Items = replaced(r.Items, items)
	return &next
}

// WithFormer returns the record with former items added or replaced.
func (r *Record) WithFormer(items map[Key]Item) *Record {
	next := *r
	next.Former = replaced(r.Former, items)
	return &next
}

func replaced(items, by map[Key]Item) map[Key]Item {
	next := maps.Clone(items)
	if next == nil {
		next = map[Key]Item{}
	}
	maps.Copy(next, by)
	return next
}

// Merge returns the record with the later items of another, which another process has
// written.
func (r *Record) Merge(other *Record) *Record {
	if other == nil {
		return r
	}
	if r.OwnNames {
		other = other.ByOwnNames()
	} else if other.OwnNames {
		r = r.ByOwnNames()
	}
	later, former := laterItems(r.Items, other.Items), laterItems(r.Former, other.Former)
	damage := r.Damage
	if other.Damage.At > damage.At {
		damage = other.Damage
	}
	known := slices.Concat(r.Known, slices.DeleteFunc(slices.Clone(other.Known), func(kind protocol.LockKind) bool { return slices.Contains(r.Known, kind) }))
	if len(later)+len(former) == 0 && damage == r.Damage && len(known) == len(r.Known) {
		return r
	}
	next := r.With(later)
	next.Damage, next.Known = damage, known
	if len(former) > 0 {
		next = next.WithFormer(former)
	}
	return next
}

// laterItems returns the items of others that are missing in mine or later there.
func laterItems(mine, others map[Key]Item) map[Key]Item {
	later := map[Key]Item{}
	for key, item := range others {
		if was, ok := mine[key]; !ok || item.At > was.At {
			later[key] = item
		}
	}
	return later
}

// First returns the item for content seen for the first time.
func First(now Entry, raw json.RawMessage, at int64) Item {
	now.State = protocol.LockSeen
	return Item{Entry: now, Raw: slices.Clone(raw), At: at}
}

// Approve returns the item with the server's current content approved. If the content
// changed, permissions for the former content must be given again.
func (i Item) Approve(now Entry, raw json.RawMessage, at int64) Item {
	changed := i.At != 0 && !i.Same(now)
	next := i.become(now, raw, at)
	next.State = protocol.LockApproved
	next.Asks = i.Asks || changed
	return next
}

// Returned returns the item approved with a content that was approved before and that the
// server has returned to; false for any other content.
func (i Item) Returned(now Entry, raw json.RawMessage, at int64) (Item, bool) {
	if i.Same(now) || !i.wasApproved(now) {
		return i, false
	}
	return i.Approve(now, raw, at), true
}

// wasApproved reports whether a content was approved before.
func (i Item) wasApproved(now Entry) bool { return slices.ContainsFunc(i.Earlier, now.Same) }

// Unknown returns an item with unknown earlier content. It is held.
func Unknown(at int64) Item { return Item{Entry: Entry{State: protocol.LockDamaged}, At: at} }

// Keep returns the item after a person has rejected a change.
func (i Item) Keep(now Entry, at int64) Item {
	i.Kept, i.At = &now, at
	return i
}

// Confirm returns the item after a person has let it run.
func (i Item) Confirm(at int64) Item {
	i.Confirmed, i.At = true, at
	return i
}

// Withdraw returns the item without the approvals and confirmation of a person, also for
// earlier contents.
func (i Item) Withdraw(at int64) Item {
	if i.State == protocol.LockApproved {
		i.State = protocol.LockSeen
	}
	i.Confirmed, i.Earlier, i.At = false, nil, at
	return i
}

// Allow returns the item after a person has allowed it to run without asking.
func (i Item) Allow(at int64) Item {
	i.Asks, i.At = false, at
	return i
}

// become returns the item with another content. The former content is remembered if it
// was approved.
func (i Item) become(now Entry, raw json.RawMessage, at int64) Item {
	next := Item{Entry: now, Raw: slices.Clone(raw), At: at, Earlier: i.Earlier, Asks: i.Asks}
	if i.Same(now) {
		next.Confirmed = i.Confirmed
		return next
	}
	next.Earlier = slices.DeleteFunc(slices.Clone(i.Earlier), now.Same)
	if i.approved() {
		next.Earlier = slices.Insert(next.Earlier, 0, i.Entry)
		next.Earlier = next.Earlier[:min(len(next.Earlier), maxEarlier)]
	}
	return next
}
