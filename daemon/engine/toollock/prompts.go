package toollock

import (
	"encoding/json"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router/lock"
)

// Prompts returns what may be told of the prompts that one of the daemon's own
// servers lists. What is seen for the first time is recorded.
func (k *Keeper) Prompts(server string, prompts []json.RawMessage) []json.RawMessage {
	mode := k.options.Mode()
	if mode == protocol.LockOff {
		return prompts
	}
	files := k.options.Configuration().Locked(server)
	id := identity{files.Folder, server}
	k.mu.Lock()
	s := k.server(id)
	j := &judging{
		mode: mode, record: s.record, listed: files.Listed, damaged: s.damaged, at: k.at(),
		now: map[lock.Key]current{}, recorded: map[lock.Key]lock.Item{},
	}
	k.mu.Unlock()
	told := make([]json.RawMessage, 0, len(prompts))
	for _, raw := range prompts {
		name, entry, err := lock.Prompt(raw)
		if err != nil {
			told = append(told, raw) // it is no prompt, and no client takes it for one
			continue
		}
		v := j.one(lock.KeyOf(protocol.LockPrompt, name), entry, raw, j.listedPrompt(name))
		switch {
		case v.Held:
		case v.Use != nil:
			told = append(told, v.Use)
		default:
			told = append(told, raw)
		}
	}
	k.keepPrompts(id, j)
	return told
}

// keepPrompts keeps what was judged beside the tools.
func (k *Keeper) keepPrompts(id identity, j *judging) {
	k.mu.Lock()
	s := k.server(id)
	now := map[lock.Key]current{}
	for key, one := range s.now {
		if kind, _ := split(key); kind != protocol.LockPrompt {
			now[key] = one
		}
	}
	news := len(j.recorded) > 0
	for key, one := range j.now {
		now[key] = one
		news = news || s.now[key].verdict.State != one.verdict.State
	}
	s.now = now
	if len(j.recorded) > 0 && !s.damaged {
		s.record = s.record.With(j.recorded)
		k.changed(id)
	}
	k.mu.Unlock()
	if news {
		k.options.Changed()
	}
}

// PromptHeld returns why a prompt may not be asked for; the zero cause when it
// may. One that was never listed is not known here, and its server decides.
func (k *Keeper) PromptHeld(server, name string) protocol.Cause {
	id := identity{k.options.Configuration().Locked(server).Folder, server}
	k.mu.Lock()
	defer k.mu.Unlock()
	now, ok := k.server(id).now[lock.KeyOf(protocol.LockPrompt, name)]
	switch {
	case k.options.Mode() == protocol.LockEnforce && !ok:
		return protocol.Cause{Kind: protocol.CauseUnlisted, Owner: server, Key: settingName}
	case !ok:
		return protocol.Cause{}
	}
	return (*judging)(nil).cause(server, now.verdict)
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
