package toollock

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/trust/lock"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// settingName is the setting that switches the lock.
const settingName = "winnow.lock"

// Server is a server's content.
type Server struct {
	Name string
	// Source is the list of a host that runs the server and passes its original texts to
	// models; empty for the daemon's own servers.
	Source string
	// Version is the server's own version.
	Version string
	// Tools holds MCP Tool objects.
	Tools []json.RawMessage
	// OwnNames maps the names in Tools to the server's own, where the host tells them.
	OwnNames     map[string]string
	Instructions string
	// Resources reports that it offers resources.
	Resources bool
}

// Applied is the part of a server's content that may be passed on.
type Applied struct {
	Tools        []json.RawMessage
	Locks        map[string]router.ToolLock
	Instructions string
}

// lastApplied caches the last result of Apply with its inputs, because they rarely
// change.
type lastApplied struct {
	mode protocol.LockMode
	// record is the one that was judged by; nil if there was none.
	record  *lock.Record
	listed  *lock.Server
	said    Server
	hashes  []hashed // of said.Tools, by index
	applied Applied
}

// hashed is a tool with its hashes.
type hashed struct {
	// own is the server's own name; empty if it is unknown, or the same.
	name, own, content string
	entry              lock.Entry
}

// Apply returns what may be passed on of a server's content, and records what is seen for
// the first time. Calls for one server must be sequential.
func (k *Keeper) Apply(says Server) Applied {
	mode, id := k.options.Mode(), k.identity(says.Source, says.Name)
	if mode == protocol.LockOff {
		k.forgetNow(id, says.Source)
		return Applied{Tools: says.Tools, Instructions: says.Instructions}
	}
	var listed *lock.Server
	if says.Source == protocol.OwnSource {
		listed = k.options.Configuration().Locked(says.Name).Listed
	}
	k.mu.Lock()
	s := k.server(id)
	if len(says.OwnNames) > 0 {
		s.record = s.record.ByOwnNames()
	}
	record, last := s.record, s.in(says.Source).last
	// The lists of a host are filled one after another while it starts.
	joins := says.Source == protocol.OwnSource || s.earlier
	k.mu.Unlock()
	hashes, known := rehash(&last, says.Tools, says.OwnNames)
	same := known && last.mode == mode && last.listed == listed &&
		last.said.Instructions == says.Instructions && last.said.Resources == says.Resources && last.said.Version == says.Version
	for {
		if same && last.record == record {
			return last.applied
		}
		j := &judging{mode: mode, record: record, listed: listed, host: says.Source != protocol.OwnSource, at: k.at()}
		if joins && record.Knows(protocol.LockTool) {
			j.joined = joining{k, id, j}.found
		}
		applied := j.all(says, hashes)
		newest := k.applied(id, j, lastApplied{mode: mode, listed: listed, said: says, hashes: hashes, applied: applied})
		if newest == record {
			return applied
		}
		record = newest // an answer came meanwhile; judge by it
	}
}

// Only sets the servers that a source has. Changes of others there no longer wait for an
// answer.
func (k *Keeper) Only(source string, names []string) {
	there := map[identity]bool{}
	for _, name := range names {
		there[k.identity(source, name)] = true
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, s := range k.servers {
		if !there[id] {
			delete(s.said, source)
		}
	}
}

// Instructions returns the part of the instructions of one of the daemon's own servers
// that models may get; empty before Apply.
func (k *Keeper) Instructions(name, text string) string {
	if k.options.Mode() == protocol.LockOff {
		return text
	}
	id := k.identity(protocol.OwnSource, name)
	k.mu.Lock()
	defer k.mu.Unlock()
	if s := k.servers[id]; s != nil && s.said[protocol.OwnSource] != nil {
		if last := &s.said[protocol.OwnSource].last; last.said.Instructions == text {
			return last.applied.Instructions
		}
	}
	return ""
}

// applied stores the result, and returns the record that was judged by. If there is a
// newer record, it stores nothing and returns that.
func (k *Keeper) applied(id identity, j *judging, last lastApplied) *lock.Record {
	k.mu.Lock()
	s := k.server(id)
	if s.record != j.record {
		defer k.mu.Unlock()
		return s.record
	}
	said := s.in(last.said.Source)
	before := said.now
	for key, now := range before { // prompts are listed on request
		if kind, name := split(key); kind == protocol.LockPrompt {
			j.one(key, now.entry, now.content, now.raw, j.listedPrompt(name))
		}
	}
	said.become(j.now)
	last.record = j.record
	origin := k.origin(id)
	moved := s.record.Origin != origin || s.record.ReportedVersion != last.said.Version
	// An unreadable record is not overwritten before there is more to write than the
	// server's origin.
	first := len(j.now) > 0 && !s.record.Knows(protocol.LockTool)
	if len(j.recorded)+len(j.taken) > 0 || first && !s.record.Damage.Damaged || moved && len(j.now) > 0 && !s.record.Damage.Damaged {
		next := s.record.With(j.taken).With(j.recorded)
		next.Origin, next.ReportedVersion = origin, last.said.Version
		if first {
			next.Known = append(slices.Clone(next.Known), protocol.LockTool, protocol.LockResources)
		}
		s.record = next
		k.changed(id)
	}
	if len(j.recorded) == 0 {
		last.record = s.record // else what is recorded now may be judged differently
	}
	said.last = last
	k.mu.Unlock()
	k.tellJudged(id, j, before)
	return j.record
}

// tellJudged reports what is new and what has changed.
func (k *Keeper) tellJudged(id identity, j *judging, before map[lock.Key]current) {
	k.tell(Seen, id.name, slices.Collect(maps.Keys(j.recorded)))
	var changed []lock.Key
	for key, now := range j.now {
		if now.verdict.State == protocol.LockChanged && !before[key].entry.Same(now.entry) {
			changed = append(changed, key)
		}
	}
	k.tell(Changed, id.name, changed)
}

// tell reports an event of some items, if there are any.
func (k *Keeper) tell(action, server string, keys []lock.Key) {
	if len(keys) == 0 {
		return
	}
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = string(key)
	}
	slices.Sort(names)
	k.options.Record(Event{Action: action, Server: server, Names: names})
}

func (k *Keeper) identity(source, name string) identity {
	if source != protocol.OwnSource {
		return hostIdentity(source, name)
	}
	return identity{k.options.Configuration().Locked(name).Folder, name}
}

func (k *Keeper) origin(id identity) lock.Origin {
	if strings.HasPrefix(id.folder, hostFolder) {
		return lock.Origin{}
	}
	return k.options.Configuration().Locked(id.name).Origin
}

// forgetNow drops a server's current content, because nothing waits for an answer while
// the lock is off.
func (k *Keeper) forgetNow(id identity, source string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if s := k.servers[id]; s != nil {
		delete(s.said, source)
	}
}

// rehash returns the hashes of tools, reusing those of unchanged ones, and whether all
// are unchanged. It looks at the same index first.
func rehash(last *lastApplied, tools []json.RawMessage, ownNames map[string]string) (hashes []hashed, same bool) {
	same = len(tools) == len(last.said.Tools)
	hashes = make([]hashed, len(tools))
	for i, raw := range tools {
		if i < len(last.said.Tools) && bytes.Equal(raw, last.said.Tools[i]) {
			hashes[i] = last.hashes[i]
		} else {
			same = false
			// A value that is not a tool object has no name, and catalogues omit it.
			name, entry, _ := lock.Tool(raw)
			hashes[i] = hashed{name: name, content: entry.Content(), entry: entry}
		}
		own := ownNames[hashes[i].name]
		same = same && own == hashes[i].own
		hashes[i].own = own
	}
	return hashes, same
}

// judging judges the content of one server.
type judging struct {
	mode   protocol.LockMode
	record *lock.Record
	listed *lock.Server
	host   bool
	at     int64
	// joined returns the findings of a new item. It returns nil if the whole server is
	// seen for the first time.
	joined func(key lock.Key, raw json.RawMessage) *lock.Joined

	now      map[lock.Key]current
	recorded map[lock.Key]lock.Item
	// taken holds the items that were by a host's names before.
	taken map[lock.Key]lock.Item
}

// all judges the tools and the instructions.
func (j *judging) all(said Server, hashes []hashed) Applied {
	j.now, j.recorded = map[lock.Key]current{}, map[lock.Key]lock.Item{}
	a := Applied{Tools: slices.Clone(said.Tools), Locks: make(map[string]router.ToolLock, len(hashes)), Instructions: said.Instructions}
	for i, key := range j.keys(hashes) {
		h := &hashes[i]
		if key == "" {
			continue
		}
		v := j.one(key, h.entry, h.content, said.Tools[i], j.listedTool(h.name))
		if _, name := split(key); name != h.name {
			one := j.now[key]
			one.host = h.name
			j.now[key] = one
		}
		if v.Use != nil {
			a.Tools[i] = v.Use
		}
		a.Locks[h.name] = router.ToolLock{State: v.State, Held: causeOf(said.Name, v), Vouched: v.Vouched, Asks: v.Asks, Content: h.content}
	}
	if said.Instructions != "" {
		a.Instructions = j.instructions(said.Instructions)
	}
	if said.Resources {
		entry, raw := lock.OfferedResources()
		var listed *lock.Entry
		if j.listed != nil { // listing a server implies what it offers
			listed = &entry
		}
		j.one(resourcesKey, entry, entry.Content(), raw, listed)
	}
	return a
}

// keys returns the key of each tool, by the server's own name where it is known; empty for
// a tool without a name. The first tool of a name counts; another of the same own name is
// by the host's. It also finds the items that were by a host's names before.
func (j *judging) keys(hashes []hashed) []lock.Key {
	keys, tools := make([]lock.Key, len(hashes)), make(map[lock.Key]lock.HostTool, len(hashes))
	for i := range hashes {
		h := &hashes[i]
		key := j.record.KeyOfHostName(h.name)
		if h.own != "" {
			key = lock.KeyOf(protocol.LockTool, h.own)
		}
		if _, twice := tools[key]; twice {
			key = lock.KeyOf(protocol.LockTool, h.name)
		}
		if _, twice := tools[key]; !twice && h.name != "" {
			keys[i], tools[key] = key, lock.HostTool{Name: h.name, Entry: h.entry}
		}
	}
	if j.record.OwnNames {
		j.taken = j.record.TakeOver(tools)
	}
	return keys
}

// instructions returns the part of a server's instructions that models may get.
func (j *judging) instructions(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		return ""
	}
	var listed *lock.Entry
	if j.listed != nil && j.listed.Instructions != "" {
		listed = &lock.Entry{Texts: j.listed.Instructions}
	}
	entry := lock.Instructions(text)
	v := j.one(lock.KeyOf(protocol.LockInstructions, ""), entry, entry.Content(), raw, listed)
	switch {
	case v.Held:
		return ""
	case v.Use != nil && json.Unmarshal(v.Use, &text) != nil:
		return ""
	}
	return text
}

// one judges one item, and stores the verdict in j. It holds an item of a host that would
// be replaced by its locked version, because the host passes its own to models.
func (j *judging) one(key lock.Key, entry lock.Entry, content string, raw json.RawMessage, listed *lock.Entry) lock.Verdict {
	c := &lock.Case{Mode: j.mode, Damaged: j.record.Damage.Damaged, Listed: listed, Now: entry, Raw: raw, At: j.at}
	if item, ok := j.record.Items[key]; ok {
		c.Item = &item
	} else if item, ok := j.taken[key]; ok {
		c.Item = &item
	}
	if j.joined != nil {
		c.Joins = func() *lock.Joined { return j.joined(key, raw) }
	}
	v := lock.Judge(c)
	if j.host && v.Use != nil {
		v.Use, v.Held = nil, true // the host passes the original texts to models
	}
	if v.Record != nil {
		j.recorded[key] = *v.Record
	}
	j.now[key] = current{entry: entry, content: content, raw: raw, verdict: v}
	return v
}

func (j *judging) listedTool(name string) *lock.Entry {
	if j.listed == nil {
		return nil
	}
	if entry, ok := j.listed.Tools[name]; ok {
		return &entry
	}
	return nil
}

// causeOf returns why an item is held back, or the zero cause if it is not.
func causeOf(server string, v lock.Verdict) protocol.Cause {
	switch {
	case !v.Held:
		return protocol.Cause{}
	case v.State == protocol.LockChanged:
		return protocol.Cause{Kind: protocol.CauseChanged, Owner: server, Key: settingName}
	case v.State == protocol.LockDamaged:
		return protocol.Cause{Kind: protocol.CauseDamagedLock, Owner: server}
	}
	return protocol.Cause{Kind: protocol.CauseUnlisted, Owner: server, Key: settingName}
}
