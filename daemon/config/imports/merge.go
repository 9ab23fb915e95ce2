package imports

import (
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/config/jsonc"
	"github.com/winnow-mcp/winnow/protocol"
)

// put writes an entry to Winnow's own file. Existing rules there for the server's tools
// win, as they did while the entry was in the weaker file.
func (m *mover) put(moved *Moved, entry jsonc.Fragment) error {
	servers, err := m.own.root.Child(ownServers, true)
	if err != nil {
		return err
	}
	theirs, err := open("", entry.Text)
	if err != nil {
		return err
	}
	if !servers.Has(moved.Name) {
		moved.Keys = theirs.root.Keys()
		return servers.Insert(moved.Name, entry)
	}
	m.note(protocol.ImportNote{Kind: protocol.NoteMerged, Server: moved.Name, Path: m.plan.Target.Path})
	ours, err := servers.Child(moved.Name, false)
	if err != nil {
		return err
	}
	if strings.Contains(entry.Text, "\n") {
		ours.Unfold()
	}
	return merge(moved, ours, theirs.root)
}

// merge adds the missing keys to an entry.
func merge(moved *Moved, ours, theirs jsonc.Object) error {
	for _, key := range theirs.Keys() {
		if key == descriptions && ours.Kind(key) == '{' && theirs.Kind(key) == '{' {
			if err := mergeDescriptions(moved, ours, theirs); err != nil {
				return err
			}
			continue
		}
		if says(ours, key) {
			continue
		}
		value, _ := theirs.Fragment(key)
		if err := ours.Insert(key, value); err != nil {
			return err
		}
		moved.Keys = append(moved.Keys, key)
	}
	return nil
}

// says reports whether an entry has a key or a synonym of it.
func says(entry jsonc.Object, key string) bool {
	same := []string{"alwaysLoad", "deferred", "deferTools"}
	if !slices.Contains(same, key) {
		same = []string{key}
	}
	return slices.ContainsFunc(same, func(key string) bool { return entry.Has(key) && entry.Kind(key) != 'n' })
}

func mergeDescriptions(moved *Moved, ours, theirs jsonc.Object) error {
	to, err := ours.Child(descriptions, false)
	if err != nil {
		return err
	}
	from, err := theirs.Child(descriptions, false)
	if err != nil {
		return err
	}
	for _, tool := range from.Keys() {
		if to.Has(tool) {
			continue
		}
		text, _ := from.Fragment(tool)
		if err := to.Insert(tool, text); err != nil {
			return err
		}
		moved.Described = append(moved.Described, tool)
	}
	return nil
}
