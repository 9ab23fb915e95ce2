package toollock

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/trust/lock"
	"github.com/winnow-mcp/winnow/daemon/trust/scan"
	"github.com/winnow-mcp/winnow/protocol"
)

// List returns the changes that wait for the user, and those that the user keeps locked.
func (k *Keeper) List() protocol.LockListResult {
	result := protocol.LockListResult{Mode: k.options.Mode(), Changes: []protocol.LockChange{}}
	type pair struct {
		change        protocol.LockChange
		before, after json.RawMessage
	}
	var pairs []pair
	k.mu.Lock()
	for id, s := range k.servers {
		told := map[[2]string]bool{} // key and content: lists of one host mostly agree
		for _, source := range s.sources(protocol.OwnSource) {
			for key, now := range s.said[source].now {
				same := [2]string{string(key), now.content}
				if !waits(now.verdict.State) || told[same] {
					continue
				}
				told[same] = true
				kind, name := split(key)
				pairs = append(pairs, pair{protocol.LockChange{
					LockRef:  protocol.LockRef{Source: source, Server: id.name, Kind: kind, Name: name},
					HostName: now.host,
					State:    now.verdict.State, Held: now.verdict.Held, Kept: now.verdict.Kept, Parts: now.verdict.Parts,
					Content: now.content, Findings: s.findings(key),
				}, s.before(key, &now), now.raw})
			}
		}
	}
	k.mu.Unlock()
	for _, p := range pairs {
		p.change.Highlights = lock.Highlights(p.before, p.after, scan.Addresses)
		p.change.Flagged = len(p.change.Findings) > 0 || slices.ContainsFunc(p.change.Highlights, lock.Flags)
		result.Changes = append(result.Changes, p.change)
	}
	slices.SortFunc(result.Changes, func(a, b protocol.LockChange) int {
		return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Source, b.Source), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return result
}

// waits reports whether an item in a state waits for the user.
func waits(state protocol.LockState) bool {
	return state == protocol.LockChanged || state == protocol.LockJoined || state == protocol.LockUnlisted || state == protocol.LockDamaged
}

// findings returns those of an item that joined. Callers must hold mu.
func (s *server) findings(key lock.Key) []protocol.Finding {
	if item := s.record.Items[key]; item.Joined != nil {
		return item.Joined.Findings
	}
	return nil
}

// Standing is the state of a server in the lock.
type Standing struct {
	// Unanswered counts the changes that the user has not accepted or refused.
	Unanswered int
	// ResourcesHeld reports that its resources are held back.
	ResourcesHeld bool
	// Content identifies all that the server says now; empty if nothing is known.
	Content string
}

// Standing returns the state of a server by its content in a source.
func (k *Keeper) Standing(source, name string) Standing {
	k.mu.Lock()
	_, s := k.find(source, name)
	if s == nil {
		k.mu.Unlock()
		return Standing{}
	}
	standing := s.said[s.sources(source)[0]].standing
	k.mu.Unlock()
	return standing()
}

// standingOf returns the state of a server with this content.
func standingOf(now map[lock.Key]current) Standing {
	standing := Standing{Content: contents(now), ResourcesHeld: now[resourcesKey].verdict.Held}
	for key := range now {
		if v := now[key].verdict; (v.State == protocol.LockChanged || v.State == protocol.LockJoined) && !v.Kept || v.State == protocol.LockDamaged {
			standing.Unanswered++
		}
	}
	return standing
}

// contents returns the identifier of a server's content.
func contents(now map[lock.Key]current) string {
	all := make(map[lock.Key]string, len(now))
	for key := range now {
		all[key] = now[key].content
	}
	return lock.Contents(all)
}

// before returns the locked version of an item, or nil if it is not known. Callers must
// hold mu.
func (s *server) before(key lock.Key, now *current) json.RawMessage {
	item, ok := s.record.Items[key]
	if !ok || item.Same(now.entry) {
		return nil
	}
	return item.Raw
}

// Diff returns both sides of a change.
func (k *Keeper) Diff(p *protocol.LockRef) (protocol.LockDiffResult, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, s := k.find(p.Source, p.Server); s != nil {
		for _, source := range s.sources(p.Source) {
			key := s.said[source].key(p.Kind, p.Name)
			if now, ok := s.said[source].now[key]; ok {
				before, after := s.before(key, &now), now.raw
				if now.host != "" {
					before, after = named(before, key), named(after, key)
				}
				return protocol.LockDiffResult{Before: lock.Document(before), After: lock.Document(after)}, nil
			}
		}
	}
	return protocol.LockDiffResult{}, unknown(p.Server, p.Kind, p.Name)
}

// named returns a tool of a host with the server's own name.
func named(raw json.RawMessage, key lock.Key) json.RawMessage {
	var tool map[string]json.RawMessage
	if json.Unmarshal(raw, &tool) != nil || tool == nil {
		return raw
	}
	_, own := split(key)
	name, err := json.Marshal(own)
	if err != nil {
		return raw
	}
	tool["name"] = name
	if renamed, err := json.Marshal(tool); err == nil {
		return renamed
	}
	return raw
}

func unknown(server string, kind protocol.LockKind, name string) error {
	what := "nothing"
	if kind != "" {
		what = fmt.Sprintf("no %s %q", kind, name)
	}
	return failure.New(protocol.KindInvalidParams, "Take one that waits for an answer.", "server %q offers %s now, or winnow.lock is off", server, what).OfServer(server)
}

// Approve records that the user approves what a server says.
func (k *Keeper) Approve(p *protocol.LockDecideParams) (protocol.LockDecideResult, error) {
	return k.decide(p, Approved, func(item lock.Item, now *current) (lock.Item, bool) {
		return item.Approve(now.entry, now.raw, k.at()), now.verdict.State != protocol.LockApproved
	})
}

// Keep records that the user has seen changes and keeps the locked version.
func (k *Keeper) Keep(p *protocol.LockDecideParams) (protocol.LockDecideResult, error) {
	return k.decide(p, Kept, func(item lock.Item, now *current) (lock.Item, bool) {
		waits := now.verdict.State == protocol.LockChanged || now.verdict.State == protocol.LockJoined
		return item.Keep(now.entry, k.at()), waits && !now.verdict.Kept
	})
}

// decide changes the items that an answer concerns. It fails if the server's content
// differs from what the user was shown.
func (k *Keeper) decide(p *protocol.LockDecideParams, action string, change func(item lock.Item, now *current) (lock.Item, bool)) (protocol.LockDecideResult, error) {
	k.mu.Lock()
	id, s := k.find(p.Source, p.Server)
	about, err := s.about(p)
	if err != nil {
		k.mu.Unlock()
		return protocol.LockDecideResult{}, err
	}
	next := map[lock.Key]lock.Item{}
	for key, now := range about {
		if item, changed := change(s.record.Items[key], &now); changed {
			next[key] = item
		}
	}
	result := resultOf(next)
	if len(next) > 0 {
		result.Undo = k.undo.note(id, s.record, next)
		s.record = s.record.With(next)
		if p.Kind == "" && action == Approved && s.record.Damage.Damaged && s.knows() {
			s.record.Damage = lock.Damage{At: k.at()} // all of it is known again
		}
		k.changed(id)
	}
	k.mu.Unlock()
	k.tell(action, p.Server, slices.Collect(maps.Keys(next)))
	return result, nil
}

// resultOf describes the changes by an answer.
func resultOf(next map[lock.Key]lock.Item) protocol.LockDecideResult {
	result := protocol.LockDecideResult{Count: len(next)}
	for key := range next {
		switch kind, _ := split(key); kind {
		case protocol.LockTool:
			result.Tools++
		case protocol.LockPrompt:
			result.Prompts++
		case protocol.LockInstructions:
			result.Instructions = true
		case protocol.LockResources:
			result.Resources = true
		}
	}
	return result
}

// about returns the items that an answer concerns, as the user was shown them: from the
// list that was shown or, if that is gone, from another list of the same host with the
// same content. It fails if s is nil, an unknown server. Callers must hold mu.
func (s *server) about(p *protocol.LockDecideParams) (map[lock.Key]current, error) {
	switch {
	case s == nil:
		return nil, unknown(p.Server, p.Kind, p.Name)
	case p.Content == "":
		return nil, failure.Invalid("an answer about %q has to say by its content what was shown", p.Server).OfServer(p.Server)
	}
	offered := false
	for _, source := range s.sources(p.Source) {
		now, content := s.said[source].shown(p.Kind, p.Name)
		if len(now) > 0 && content == p.Content {
			return now, nil
		}
		offered = offered || len(now) > 0
	}
	if !offered {
		return nil, unknown(p.Server, p.Kind, p.Name)
	}
	return nil, failure.New(protocol.KindContentModified, "Look at what it says now, and answer anew.",
		"server %q says something else by now than what was shown", p.Server).OfServer(p.Server)
}

// shown returns one item of a server, or all if kind is empty, with the identifier of
// that content.
func (s *said) shown(kind protocol.LockKind, name string) (now map[lock.Key]current, content string) {
	if kind == "" {
		return s.now, s.standing().Content
	}
	key := s.key(kind, name)
	one, ok := s.now[key]
	if !ok {
		return nil, ""
	}
	return map[lock.Key]current{key: one}, one.content
}

// key returns the key of an item, given its name or a host's.
func (s *said) key(kind protocol.LockKind, name string) lock.Key {
	key := lock.KeyOf(kind, name)
	if _, own := s.now[key]; own || kind != protocol.LockTool {
		return key
	}
	for other, now := range s.now {
		if now.host == name {
			return other
		}
	}
	return key
}

// knows reports whether the record has an item for all that the server says in any list.
// Callers must hold mu.
func (s *server) knows() bool {
	for _, said := range s.said {
		for key := range said.now {
			if _, known := s.record.Items[key]; !known {
				return false
			}
		}
	}
	return true
}

// split splits a key into kind and name.
func split(key lock.Key) (protocol.LockKind, string) {
	kind, name, _ := strings.Cut(string(key), ":")
	return protocol.LockKind(kind), name
}
