package toollock

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/trust/lock"
	"github.com/winnow-mcp/winnow/protocol"
)

// prompt is a listed prompt with its hashes.
type prompt struct {
	raw           json.RawMessage
	name, content string
	entry         lock.Entry
	// odd reports that the value is not a prompt.
	odd bool
}

// Prompts returns what may be shown of the prompts that one of the daemon's own servers
// lists, and records what is seen for the first time. whole is false if the list ended
// with an error; then the other known prompts stay.
func (k *Keeper) Prompts(server string, listed []json.RawMessage, whole bool) []json.RawMessage {
	mode := k.options.Mode()
	if mode == protocol.LockOff {
		return listed
	}
	files := k.options.Configuration().Locked(server)
	id := identity{files.Folder, server}
	prompts := make([]prompt, len(listed))
	for i, raw := range listed {
		name, entry, err := lock.Prompt(raw)
		prompts[i] = prompt{raw, name, entry.Content(), entry, err != nil}
	}
	found := joining{keeper: k, id: id}.prompts(prompts)
	k.mu.Lock()
	s := k.server(id)
	j := &judging{
		mode: mode, record: s.record, listed: files.Listed, at: k.at(),
		now: map[lock.Key]current{}, recorded: map[lock.Key]lock.Item{},
	}
	if s.record.Knows(protocol.LockPrompt) {
		j.joined = func(key lock.Key, _ json.RawMessage) *lock.Joined { return found[key] }
	}
	told := j.prompts(prompts)
	before, news := k.keepPrompts(id, j, whole)
	k.mu.Unlock()
	k.tellJudged(id, j, before)
	if news {
		k.options.Changed()
	}
	return told
}

// prompts returns the findings for those prompts that are new for a known server.
func (n joining) prompts(prompts []prompt) map[lock.Key]*lock.Joined {
	n.keeper.mu.Lock()
	record := n.keeper.server(n.id).record
	n.keeper.mu.Unlock()
	found := map[lock.Key]*lock.Joined{}
	for _, p := range prompts {
		key := lock.KeyOf(protocol.LockPrompt, p.name)
		if _, known := record.Items[key]; !known && !p.odd {
			found[key] = n.found(key, p.raw)
		}
	}
	return found
}

// prompts judges prompts, and returns what may be shown of them.
func (j *judging) prompts(prompts []prompt) []json.RawMessage {
	told := make([]json.RawMessage, 0, len(prompts))
	for _, p := range prompts {
		if p.odd {
			told = append(told, p.raw) // no client takes it for a prompt
			continue
		}
		v := j.one(lock.KeyOf(protocol.LockPrompt, p.name), p.entry, p.content, p.raw, j.listedPrompt(p.name))
		switch {
		case v.Held:
		case v.Use != nil:
			told = append(told, v.Use)
		default:
			told = append(told, p.raw)
		}
	}
	return told
}

// keepPrompts stores what was judged beside the tools. It returns what was stored before,
// and whether something has changed. Callers must hold mu.
func (k *Keeper) keepPrompts(id identity, j *judging, whole bool) (before map[lock.Key]current, news bool) {
	s := k.server(id)
	said := s.in(protocol.OwnSource)
	before = said.now
	now := map[lock.Key]current{}
	for key, one := range before {
		_, listed := j.now[key]
		if kind, _ := split(key); kind != protocol.LockPrompt || !whole && !listed {
			now[key] = one
		} else if !listed {
			news = true
		}
	}
	for key, one := range j.now {
		now[key] = one
		was, known := before[key]
		news = news || !known || was.content != one.content || was.verdict.State != one.verdict.State
	}
	said.become(now)
	first := whole && !s.record.Knows(protocol.LockPrompt) && !s.record.Damage.Damaged
	if len(j.recorded) > 0 || first {
		s.record = s.record.With(j.recorded)
		if first {
			s.record.Known = append(slices.Clone(s.record.Known), protocol.LockPrompt)
		}
		k.changed(id)
	}
	return before, news
}

// PromptHeld returns why a prompt may not be requested, or the zero cause. listed is
// false if its server has not listed it, so its content may differ from the locked one.
func (k *Keeper) PromptHeld(server, name string) (cause protocol.Cause, listed bool) {
	mode := k.options.Mode()
	if mode == protocol.LockOff {
		return protocol.Cause{}, true
	}
	id := k.identity(protocol.OwnSource, server)
	k.mu.Lock()
	defer k.mu.Unlock()
	now, ok := k.server(id).ownNow()[lock.KeyOf(protocol.LockPrompt, name)]
	switch {
	case mode == protocol.LockEnforce && !ok:
		return protocol.Cause{Kind: protocol.CauseUnlisted, Owner: server, Key: settingName}, false
	case !ok:
		return protocol.Cause{}, false
	}
	return causeOf(server, now.verdict), true
}

// PromptsTold identifies what may be shown of the prompts of one of the daemon's own
// servers. It differs after a change, and after an answer about one.
func (k *Keeper) PromptsTold(server string) string {
	k.mu.Lock()
	_, s := k.find(protocol.OwnSource, server)
	if s == nil {
		k.mu.Unlock()
		return ""
	}
	now := s.ownNow()
	k.mu.Unlock()
	var told strings.Builder
	for _, key := range slices.Sorted(maps.Keys(now)) {
		if kind, name := split(key); kind == protocol.LockPrompt {
			one := now[key]
			fmt.Fprintf(&told, "%q %s %t %t\n", name, one.content, one.verdict.Held, one.verdict.Use != nil)
		}
	}
	return told.String()
}

func (j *judging) listedPrompt(name string) *lock.Entry {
	if j.listed == nil {
		return nil
	}
	if entry, ok := j.listed.Prompts[name]; ok {
		return &entry
	}
	return nil
}
