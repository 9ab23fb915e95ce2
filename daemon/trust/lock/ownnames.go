package lock

import (
	"cmp"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// VS Code's names of tools begin with "mcp_", a name of the server, and "_", cut to so
// many bytes.
const (
	hostPrefix    = "mcp_"
	maxHostPrefix = 18
)

// HostTool is a tool as a host that runs its server has it.
type HostTool struct {
	// Name is the host's.
	Name  string
	Entry Entry
}

// ByOwnNames returns the record with tools by the servers' own names. Its items by the
// names of a host become former ones.
func (r *Record) ByOwnNames() *Record {
	if r.OwnNames {
		return r
	}
	next := *r
	next.OwnNames, next.Items, next.Former = true, map[Key]Item{}, map[Key]Item{}
	for key, item := range r.Items {
		if kind, _ := key.split(); kind == protocol.LockTool {
			next.Former[key] = item
		} else {
			next.Items[key] = item
		}
	}
	return &next
}

// KeyOfHostName returns the key of a tool of which only the host's name is known: that of
// an item by the server's own name, or else by the host's.
func (r *Record) KeyOfHostName(name string) Key {
	key := KeyOf(protocol.LockTool, name)
	if !r.OwnNames {
		return key
	}
	for _, own := range ownKeys(key) {
		if _, known := r.Items[own]; known {
			return own
		}
	}
	return key
}

// Untaken returns the former items that no item by a server's own name has replaced.
func (r *Record) Untaken() map[Key]Item {
	untaken := map[Key]Item{}
	for key, item := range r.Former {
		_, known := r.Items[key]
		if !known && r.KeyOfHostName(key.name()) == key {
			untaken[key] = item
		}
	}
	return untaken
}

// TakeOver returns the items for those tools, by the server's own names, that the record
// has by a host's names only. The host may have given the server another prefix since.
//
// The item by the tool's present name is taken whatever its content, so that a change
// stays one. Any other must know the present content. If several do, a person's latest
// decision counts, then what was seen first; a decision about another content leaves the
// tool a new one.
func (r *Record) TakeOver(tools map[Key]HostTool) map[Key]Item {
	present := map[Key]Key{} // the own key by the key of the host's name
	for own, tool := range tools {
		present[KeyOf(protocol.LockTool, tool.Name)] = own
	}
	found := map[Key][]former{}
	for key, item := range r.Former {
		if own, ok := ownerOf(key, present, tools); ok {
			found[own] = append(found[own], former{key, item})
		}
	}
	taken := map[Key]Item{}
	for own, tool := range tools {
		if _, known := r.Items[own]; known {
			continue
		}
		exact := KeyOf(protocol.LockTool, tool.Name)
		if item, known := r.Items[exact]; known { // recorded before its own name was known
			found[own] = append(found[own], former{exact, item})
		}
		if item, ok := choose(found[own], exact, tool.Entry); ok {
			taken[own] = item
		}
	}
	return taken
}

// former is an item by a host's name.
type former struct {
	key  Key
	item Item
}

// rank orders former items of one tool: what a person has decided, what was seen at
// first, what joined.
func (f *former) rank() int {
	switch {
	case f.item.approved() || f.item.Kept != nil || f.item.State == protocol.LockDamaged:
		return 0
	case f.item.Joined == nil:
		return 1
	}
	return 2
}

// choose returns the item of a tool from its former items. exact is the key of its
// present name.
func choose(all []former, exact Key, now Entry) (Item, bool) {
	slices.SortFunc(all, func(a, b former) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(b.item.At, a.item.At), cmp.Compare(a.key, b.key))
	})
	if len(all) > 0 && all[0].item.knows(now) {
		return all[0].item, true
	}
	if i := slices.IndexFunc(all, func(f former) bool { return f.key == exact }); i >= 0 {
		return all[i].item, true
	}
	return Item{}, false
}

// knows reports whether the content is locked, was approved before, or was rejected.
func (i Item) knows(now Entry) bool {
	return i.Same(now) || i.wasApproved(now) || i.Kept != nil && i.Kept.Same(now)
}

// ownerOf returns the key of the tool that a former key is of: one with this name now,
// or else with the longest own name that the key ends with. An earlier version that runs
// beside this one may have made a former key of an own one.
func ownerOf(key Key, present map[Key]Key, tools map[Key]HostTool) (Key, bool) {
	if own, ok := present[key]; ok {
		return own, true
	}
	for _, own := range append(ownKeys(key), key) {
		if _, ok := tools[own]; ok {
			return own, true
		}
	}
	return "", false
}

// ownKeys returns the possible keys by own names of a key by VS Code's name, the longest
// first; none for other names.
func ownKeys(key Key) []Key {
	kind, name := key.split()
	if kind != protocol.LockTool || !strings.HasPrefix(name, hostPrefix) {
		return nil
	}
	var keys []Key
	for i := len(hostPrefix) + 1; i < min(len(name)-1, maxHostPrefix); i++ {
		if name[i] == '_' {
			keys = append(keys, KeyOf(kind, name[i+1:]))
		}
	}
	return keys
}

// split splits a key into kind and name.
func (k Key) split() (protocol.LockKind, string) {
	kind, name, _ := strings.Cut(string(k), ":")
	return protocol.LockKind(kind), name
}

func (k Key) name() string {
	_, name := k.split()
	return name
}
