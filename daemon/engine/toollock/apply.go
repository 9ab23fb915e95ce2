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

// settingName is that of the setting that decides.
const settingName = "winnow.lock"

// Server is what a server says.
type Server struct {
	Name string
	// Source is the list of a host that runs the server, and tells models its own
	// words; empty for the daemon's own servers.
	Source string
	// Version is what the server says of itself.
	Version string
	// Tools are Tool objects of MCP.
	Tools        []json.RawMessage
	Instructions string
	// Resources: it offers resources.
	Resources bool
}

// Applied is what may be told of a server.
type Applied struct {
	Tools        []json.RawMessage
	Locks        map[string]router.ToolLock
	Instructions string
}

// lastApplied is what was applied to what. It saves the work where nothing has
// changed, which is nearly always.
type lastApplied struct {
	mode protocol.LockMode
	// record is what was judged by; nil where nothing was.
	record  *lock.Record
	listed  *lock.Server
	said    Server
	hashes  []hashed // of said.Tools, by place
	applied Applied
}

// hashed is a tool with its hashes.
type hashed struct {
	name, content string
	entry         lock.Entry
}

// Apply returns what may be told of a server. What is seen for the first time
// is recorded. Calls for one server have to follow one another.
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
	record, last := s.record, s.in(says.Source).last
	// The lists of a host fill one after another while it starts.
	joins := says.Source == protocol.OwnSource || s.earlier
	k.mu.Unlock()
	hashes, known := rehash(&last, says.Tools)
	same := known && last.mode == mode && last.listed == listed &&
		last.said.Instructions == says.Instructions && last.said.Resources == says.Resources && last.said.Version == says.Version
	for {
		if same && last.record == record {
			return last.applied
		}
		j := &judging{mode: mode, record: record, listed: listed, host: says.Source != protocol.OwnSource, at: k.at()}
		if joins && record.Knows(protocol.LockTool) {
			j.joined = joining{k, id}.found
		}
		applied := j.all(says, hashes)
		newest := k.applied(id, j, lastApplied{mode: mode, listed: listed, said: says, hashes: hashes, applied: applied})
		if newest == record {
			return applied
		}
		record = newest // an answer came meanwhile, and is judged by
	}
}

// Only says which servers are there in a source. What others said there waits
// for no answer any more.
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

// Instructions returns what models may be told of the instructions of one of the
// daemon's own servers; empty before they have been applied.
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

// applied keeps what was judged, and returns the record that was judged by; it
// keeps nothing and returns the newer record where there is one.
func (k *Keeper) applied(id identity, j *judging, last lastApplied) *lock.Record {
	k.mu.Lock()
	s := k.server(id)
	if s.record != j.record {
		defer k.mu.Unlock()
		return s.record
	}
	said := s.in(last.said.Source)
	before := said.now
	for key, now := range before { // prompts are listed when they are asked for
		if kind, name := split(key); kind == protocol.LockPrompt {
			j.one(key, now.entry, now.content, now.raw, j.listedPrompt(name))
		}
	}
	said.become(j.now)
	last.record = j.record
	origin := k.origin(id)
	moved := s.record.Origin != origin || s.record.ReportedVersion != last.said.Version
	// What could not be read is not written over before there is more to write
	// than where the server comes from.
	first := len(j.now) > 0 && !s.record.Knows(protocol.LockTool)
	if len(j.recorded) > 0 || first && !s.record.Damage.Damaged || moved && len(j.now) > 0 && !s.record.Damage.Damaged {
		next := s.record.With(j.recorded)
		next.Origin, next.ReportedVersion = origin, last.said.Version
		if first {
			next.Known = append(slices.Clone(next.Known), protocol.LockTool, protocol.LockResources)
		}
		s.record = next
		k.changed(id)
	}
	if len(j.recorded) == 0 {
		last.record = s.record // else what is recorded now may be judged otherwise
	}
	said.last = last
	k.mu.Unlock()
	k.tellJudged(id, j, before)
	return j.record
}

// tellJudged tells of what is new, and of what has changed since before.
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

// tell tells of some items, if there are any.
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

// forgetNow drops what a server said last: nothing waits for an answer while
// the lock is off.
func (k *Keeper) forgetNow(id identity, source string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if s := k.servers[id]; s != nil {
		delete(s.said, source)
	}
}

// rehash returns the hashes of tools, those of unchanged ones from last, and
// whether all are unchanged. A tool is usually where it was.
func rehash(last *lastApplied, tools []json.RawMessage) (hashes []hashed, same bool) {
	same = len(tools) == len(last.said.Tools)
	hashes = make([]hashed, len(tools))
	for i, raw := range tools {
		if i < len(last.said.Tools) && bytes.Equal(raw, last.said.Tools[i]) {
			hashes[i] = last.hashes[i]
			continue
		}
		same = false
		// What is no tool object has no name, and no catalogue takes it.
		name, entry, _ := lock.Tool(raw)
		hashes[i] = hashed{name, entry.Content(), entry}
	}
	return hashes, same
}

// judging judges what one server says.
type judging struct {
	mode   protocol.LockMode
	record *lock.Record
	listed *lock.Server
	host   bool
	at     int64
	// joined returns what is found in something new; nil where what is new is
	// seen for the first time, with its server.
	joined func(key lock.Key, raw json.RawMessage) *lock.Joined

	now      map[lock.Key]current
	recorded map[lock.Key]lock.Item
}

// all judges the tools and the instructions.
func (j *judging) all(said Server, hashes []hashed) Applied {
	j.now, j.recorded = map[lock.Key]current{}, map[lock.Key]lock.Item{}
	a := Applied{Tools: slices.Clone(said.Tools), Locks: make(map[string]router.ToolLock, len(hashes)), Instructions: said.Instructions}
	for i, h := range hashes {
		key := lock.KeyOf(protocol.LockTool, h.name)
		if _, twice := j.now[key]; twice || h.name == "" {
			continue // the first one of a name counts
		}
		v := j.one(key, h.entry, h.content, said.Tools[i], j.listedTool(h.name))
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
		if j.listed != nil { // who lists a server means what it offers
			listed = &entry
		}
		j.one(resourcesKey, entry, entry.Content(), raw, listed)
	}
	return a
}

// instructions returns what models may be told of a server's instructions.
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

// one judges one thing.
func (j *judging) one(key lock.Key, entry lock.Entry, content string, raw json.RawMessage, listed *lock.Entry) lock.Verdict {
	c := &lock.Case{Mode: j.mode, Damaged: j.record.Damage.Damaged, Listed: listed, Now: entry, Raw: raw, At: j.at}
	if item, ok := j.record.Items[key]; ok {
		c.Item = &item
	}
	if j.joined != nil {
		c.Joins = func() *lock.Joined { return j.joined(key, raw) }
	}
	v := lock.Judge(c)
	if j.host && v.Use != nil {
		v.Use, v.Held = nil, true // the host tells models its own words
	}
	if v.Record != nil {
		j.recorded[key] = *v.Record
	}
	j.now[key] = current{entry, content, raw, v}
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

// causeOf says why something is held back; the zero cause when it is not.
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
