package lock

import (
	"encoding/json"
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
)

// Case is one thing that a server offers, with its locks.
type Case struct {
	// Mode is the setting `winnow.lock`.
	Mode protocol.LockMode
	// Item is the user's item; nil if there is none.
	Item *Item
	// Damaged: the user's earlier lock could not be read, so the thing may or may not be
	// new.
	Damaged bool
	// Listed is the entry in the workspace's lock file, or nil.
	Listed *Entry
	// Now is the current content.
	Now Entry
	Raw json.RawMessage
	// Joins returns the findings in something new of a known server. It is nil if the
	// server, or the kind, is seen for the first time.
	Joins func() *Joined
	// At is the time, in milliseconds of Unix time.
	At int64
}

// Verdict is the decision about a [Case].
type Verdict struct {
	State protocol.LockState
	// Held: models do not get it.
	Held bool
	// Use is the content for models in place of the server's; nil if the server's may be
	// shown.
	Use json.RawMessage
	// Vouched: a person has approved the content, or let it run. The server's annotations
	// on harm count.
	Vouched bool
	// Asks: `alwaysAllow` is ignored.
	Asks bool
	// Kept: the user has rejected the change and keeps the locked content.
	Kept bool
	// Parts are the parts that differ from the locked content.
	Parts []Part
	// Record is the item to store; nil if it is unchanged.
	Record *Item
}

// Judge decides about one thing. Content passes if it is approved, listed in the
// workspace, or was approved before; in the last case the lock stays, because a host may
// have an older list beside a newer one. First sight is recorded and passes, unless the
// mode is enforce. A new thing of a known server passes if it has no findings and the
// user has not rejected it. Any other change waits for the user: it is held if parameters
// changed, otherwise models get the locked content.
func Judge(c *Case) Verdict {
	if c.Mode == protocol.LockOff {
		return Verdict{}
	}
	switch {
	case c.Item == nil && c.Damaged, c.Item != nil && c.Item.State == protocol.LockDamaged:
		return Verdict{State: protocol.LockDamaged, Held: true, Asks: true}
	case c.Item != nil && c.Item.Same(c.Now) && c.Item.approved():
		return c.passes(*c.Item, nil)
	case c.Listed != nil && c.Listed.Same(c.Now):
		return c.listed()
	case c.Item != nil && c.Item.wasApproved(c.Now):
		v := c.passes(*c.Item, nil)
		v.Asks = true // what is allowed without asking is what is locked
		return v
	case c.Listed != nil:
		return c.changed(c.Listed)
	case c.Item == nil:
		return c.first()
	case c.Item.Same(c.Now):
		return c.seen(*c.Item, nil)
	}
	return c.changed(&c.Item.Entry)
}

// passes returns the verdict for approved content.
func (*Case) passes(item Item, record *Item) Verdict {
	return Verdict{State: protocol.LockApproved, Vouched: true, Asks: item.Asks, Record: record}
}

// listed returns the verdict for content in the workspace's lock file, which its
// committer has reviewed. The user's own lock follows.
func (c *Case) listed() Verdict {
	item, record := c.following()
	if c.Listed.approved() {
		return c.passes(item, record)
	}
	return Verdict{State: protocol.LockSeen, Vouched: item.Confirmed, Asks: item.Asks, Record: record}
}

// following returns the user's item for passing content, and the item to record, or nil
// if it is unchanged.
func (c *Case) following() (Item, *Item) {
	if c.Item != nil && c.Item.Same(c.Now) {
		return *c.Item, nil
	}
	item := First(c.Now, c.Raw, c.At)
	if c.Item != nil {
		now := c.Now
		now.State = protocol.LockSeen
		item = c.Item.become(now, c.Raw, c.At)
		item.Asks = true
	}
	return item, &item
}

// first records something new.
func (c *Case) first() Verdict {
	item := First(c.Now, c.Raw, c.At)
	if c.Joins != nil {
		if item.Joined = c.Joins(); item.Joined != nil {
			item.Asks = len(item.Joined.Findings) > 0
		}
	}
	return c.seen(item, &item)
}

// seen returns the verdict for unchanged content that nobody has reviewed.
func (c *Case) seen(item Item, record *Item) Verdict {
	if c.Mode == protocol.LockEnforce {
		return Verdict{State: protocol.LockUnlisted, Held: true, Asks: true, Record: record}
	}
	if item.Joined != nil {
		kept := item.Kept != nil && item.Kept.Same(c.Now)
		return Verdict{
			State: protocol.LockJoined, Held: kept || len(item.Joined.Findings) > 0, Kept: kept,
			Vouched: item.Confirmed, Asks: item.Asks, Record: record,
		}
	}
	return Verdict{State: protocol.LockSeen, Vouched: item.Confirmed, Asks: item.Asks, Record: record}
}

// changed returns the verdict for content that differs from the locked one.
func (c *Case) changed(locked *Entry) Verdict {
	v := Verdict{
		State: protocol.LockChanged, Asks: true, Parts: differ(*locked, c.Now),
		Kept: c.Item != nil && c.Item.Kept != nil && c.Item.Kept.Same(c.Now),
	}
	if c.Item == nil {
		item := First(c.Now, c.Raw, c.At)
		v.Record = &item // shown to the user, and the subject of the decision
	}
	known := c.Item != nil && c.Item.Same(*locked) && len(c.Item.Raw) > 0
	shape := slices.Contains(v.Parts, InputSchema) || slices.Contains(v.Parts, OutputSchema)
	if c.Mode == protocol.LockEnforce || shape || !known {
		v.Held = true
		return v
	}
	v.Use = stricter(c.Item.Raw, c.Raw)
	return v
}
