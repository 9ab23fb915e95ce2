package lock

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// maxEarlier is how many approved contents of one thing are remembered, so that
// a server may go back to one of them without a question.
const maxEarlier = 8

// Record is what the user's own lock holds of one server. Unlike a [File] it
// holds what was said, not only its hash: that is what models are told while a
// change waits, and one side of the difference that is shown. A Record is not
// changed; the methods return others.
type Record struct {
	// Version of the format: 1.
	Version int `json:"version"`
	// Folder is the workspace folder whose files define the server; empty for
	// the user's own.
	Folder string `json:"folder,omitzero"`
	Server string `json:"server"`
	Origin Origin `json:"origin,omitzero"`
	// ReportedVersion is what the server said of itself last.
	ReportedVersion string `json:"reportedVersion,omitzero"`
	// Damage says that what was kept before could not be read.
	Damage Damage `json:"damage,omitzero"`
	// Known are the kinds of which the server has listed something, or nothing:
	// what it says more of them joins what is known.
	Known []protocol.LockKind `json:"known,omitzero"`
	// Items by what they are.
	Items map[Key]Item `json:"items"`
}

// Damage is whether what was kept before could not be read. What is not among
// the items of a damaged record is held back until a person has begun it anew.
type Damage struct {
	Damaged bool `json:"damaged,omitzero"`
	// At is when that was found out or ended, in milliseconds of Unix time. Of two
	// records of one server the later one counts.
	At int64 `json:"at,omitzero"`
}

// Key names an item within a server: kind and name, such as `tool:send`.
type Key string

// KeyOf returns the key of a kind and a name.
func KeyOf(kind protocol.LockKind, name string) Key { return Key(string(kind) + ":" + name) }

// Item is one thing of a server as the user's lock has it.
type Item struct {
	Entry

	// Raw is the thing as the server said it: a Tool or Prompt object of MCP, or
	// the instructions as a JSON string.
	Raw json.RawMessage `json:"raw,omitzero"`
	// Earlier are contents that were approved before, the latest first.
	Earlier []Entry `json:"earlier,omitzero"`
	// Kept is the change that the user has seen and does not want.
	Kept *Entry `json:"kept,omitzero"`
	// Asks: `alwaysAllow` does not count, because it was given for what the tool
	// was before a change.
	Asks bool `json:"asks,omitzero"`
	// Joined is set for what its server did not offer at first, until a person has
	// answered.
	Joined *Joined `json:"joined,omitzero"`
	// Confirmed: a person has let the tool run as it is.
	Confirmed bool `json:"confirmed,omitzero"`
	// At is when a person or a server last changed the item, in milliseconds of
	// Unix time. Of two records of one server the later items count.
	At int64 `json:"at"`
}

// Joined is what was found in something when its server began to offer it. It is
// held back for findings.
type Joined struct {
	Findings []protocol.Finding `json:"findings,omitzero"`
}

// Knows reports whether the server has been asked for things of a kind before.
// What it says of itself, and that it has resources, comes with its tools.
func (r *Record) Knows(kind protocol.LockKind) bool {
	if kind == protocol.LockInstructions || kind == protocol.LockResources {
		kind = protocol.LockTool
	}
	return slices.Contains(r.Known, kind)
}

// Upgraded returns the record as it is written today: one of before has neither
// the kinds that are known nor a hash of `_meta`. One of before resources were
// locked has them as it had the server: approved where something was.
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
		kind, _, _ := strings.Cut(string(key), ":")
		var err error
		now := item.Entry
		switch protocol.LockKind(kind) {
		case protocol.LockTool:
			_, now, err = Tool(item.Raw)
		case protocol.LockPrompt:
			_, now, err = Prompt(item.Raw)
		case protocol.LockInstructions:
			kind = string(protocol.LockTool)
		}
		if !slices.Contains(r.Known, protocol.LockKind(kind)) {
			r.Known = append(r.Known, protocol.LockKind(kind))
		}
		if item.Meta == "" && err == nil {
			item.Meta = now.Meta
			r.Items[key] = item
		}
	}
	return r
}

// With returns the record with other items.
func (r *Record) With(items map[Key]Item) *Record {
	next := *r
	next.Items = maps.Clone(r.Items)
	if next.Items == nil {
		next.Items = map[Key]Item{}
	}
	maps.Copy(next.Items, items)
	return &next
}

// Merge returns the record with the items of another that are later: what
// another process has written meanwhile.
func (r *Record) Merge(other *Record) *Record {
	if other == nil {
		return r
	}
	later := map[Key]Item{}
	for key, item := range other.Items {
		if mine, ok := r.Items[key]; !ok || item.At > mine.At {
			later[key] = item
		}
	}
	damage := r.Damage
	if other.Damage.At > damage.At {
		damage = other.Damage
	}
	known := slices.Concat(r.Known, slices.DeleteFunc(slices.Clone(other.Known), func(kind protocol.LockKind) bool { return slices.Contains(r.Known, kind) }))
	if len(later) == 0 && damage == r.Damage && len(known) == len(r.Known) {
		return r
	}
	next := r.With(later)
	next.Damage, next.Known = damage, known
	return next
}

// First returns the item of something that is seen for the first time.
func First(now Entry, raw json.RawMessage, at int64) Item {
	now.State = protocol.LockSeen
	return Item{Entry: now, Raw: slices.Clone(raw), At: at}
}

// Approve returns the item after a person has approved of what the server says
// now. What was allowed for another content has to be allowed anew.
func (i Item) Approve(now Entry, raw json.RawMessage, at int64) Item {
	changed := i.At != 0 && !i.Same(now)
	next := i.become(now, raw, at)
	next.State = protocol.LockApproved
	next.Asks = i.Asks || changed
	return next
}

// Returned returns the item after its server has gone back to what was approved
// before, with what a person says of that content now; false where the content
// is none of those.
func (i Item) Returned(now Entry, raw json.RawMessage, at int64) (Item, bool) {
	if i.Same(now) || !i.wasApproved(now) {
		return i, false
	}
	return i.Approve(now, raw, at), true
}

// wasApproved reports whether a content is one of those that were approved
// before.
func (i Item) wasApproved(now Entry) bool { return slices.ContainsFunc(i.Earlier, now.Same) }

// Unknown returns an item of which nobody knows what it was: it is held back.
func Unknown(at int64) Item { return Item{Entry: Entry{State: protocol.LockDamaged}, At: at} }

// Keep returns the item after a person has seen a change and does not want it.
func (i Item) Keep(now Entry, at int64) Item {
	i.Kept, i.At = &now, at
	return i
}

// Confirm returns the item after a person has let it run.
func (i Item) Confirm(at int64) Item {
	i.Confirmed, i.At = true, at
	return i
}

// Withdraw returns the item after a person has taken back what they said of it:
// it is as it was seen, and contents that it had before are not approved either.
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

// become returns the item with another content. The one before stays known
// when it was approved.
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
