package lock

import (
	"encoding/json"
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
)

// Case is one thing that a server offers, and what is known of it.
type Case struct {
	// Mode is the setting `winnow.lock`.
	Mode protocol.LockMode
	// Item is the user's; nil when the thing is new to it.
	Item *Item
	// Damaged: what the user's lock held before cannot be read, so that nobody
	// knows whether the thing is new.
	Damaged bool
	// Listed is what the workspace's lock file says; nil when it says nothing.
	Listed *Entry
	// Now is what the server says.
	Now Entry
	Raw json.RawMessage
	// Joins returns what is found in something new of a server that is known; nil
	// for a server, or a list of it, that is seen for the first time.
	Joins func() *Joined
	// At is the time, in milliseconds of Unix time.
	At int64
}

// Verdict is what becomes of it.
type Verdict struct {
	State protocol.LockState
	// Held: models do not get it.
	Held bool
	// Use is what models get in place of what the server says; nil when
	// that may be shown.
	Use json.RawMessage
	// Vouched: a person has approved of it as it is, or has let it run. What the
	// server says of the harm it does counts.
	Vouched bool
	// Asks: `alwaysAllow` does not count.
	Asks bool
	// Kept: the user has seen the change and keeps what is locked.
	Kept bool
	// Parts are those that differ from what is locked.
	Parts []Part
	// Record is the item to remember from now on; nil when it stays as it is.
	Record *Item
}

// Judge decides about one thing. What is as it was approved, or as the
// workspace lists it, passes; so does what the server goes back to, and what is
// locked stays: a host may have an older list beside a newer one. First sight is
// recorded, and passes unless the mode is enforce; what joins a server that is
// known passes where nothing is found in it and the user has not refused it. Any later change waits
// for the user: where parameters changed it is held back, else models get
// what is locked.
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

// passes lets an item through that somebody vouches for.
func (*Case) passes(item Item, record *Item) Verdict {
	return Verdict{State: protocol.LockApproved, Vouched: true, Asks: item.Asks, Record: record}
}

// listed lets through what the workspace's lock file lists: whoever committed
// it has looked at it. The user's own lock follows.
func (c *Case) listed() Verdict {
	item, record := c.following()
	if c.Listed.approved() {
		return c.passes(item, record)
	}
	return Verdict{State: protocol.LockSeen, Vouched: item.Confirmed, Asks: item.Asks, Record: record}
}

// following returns the user's item for what passes, and the same to record
// when it is another than before.
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

// first records what is new.
func (c *Case) first() Verdict {
	item := First(c.Now, c.Raw, c.At)
	if c.Joins != nil {
		if item.Joined = c.Joins(); item.Joined != nil {
			item.Asks = len(item.Joined.Findings) > 0
		}
	}
	return c.seen(item, &item)
}

// seen is what becomes of something that is as it was, and that nobody has
// looked at.
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

// changed is what becomes of something that is not as it is locked.
func (c *Case) changed(locked *Entry) Verdict {
	v := Verdict{
		State: protocol.LockChanged, Asks: true, Parts: differ(*locked, c.Now),
		Kept: c.Item != nil && c.Item.Kept != nil && c.Item.Kept.Same(c.Now),
	}
	if c.Item == nil {
		item := First(c.Now, c.Raw, c.At)
		v.Record = &item // what is shown, and what the user's answer is about
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
