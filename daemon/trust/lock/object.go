package lock

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol/mcpobject"
)

// lockedMembers returns the locked members of Tool and Prompt objects, in display order.
func lockedMembers() []string {
	return []string{"name", "title", "description", "inputSchema", "arguments", "annotations", "outputSchema", "_meta"}
}

// object is a Tool or Prompt object, with members that some clients take for its parts.
type object struct {
	mcpobject.Object

	// misspelt holds the members whose names differ from [lockedMembers] only in case,
	// each as an object of one member, sorted by name. Some clients ignore case and read
	// these.
	misspelt []json.RawMessage
}

func readObject(raw json.RawMessage) (o object, err error) {
	odd := map[string]json.RawMessage{} // the last one of duplicate names counts
	o.Object, err = mcpobject.Read(raw, func(name []byte, value json.RawMessage) {
		if misspelt(string(name)) {
			odd[string(name)] = value
		}
	})
	for _, name := range slices.Sorted(maps.Keys(odd)) {
		o.misspelt = append(o.misspelt, memberOf(name, odd[name]))
	}
	return o, err
}

// misspelt reports whether a name is one of [lockedMembers], ignoring case.
func misspelt(name string) bool {
	return slices.ContainsFunc(lockedMembers(), func(known string) bool { return strings.EqualFold(known, name) })
}

// memberOf returns an object with one member.
func memberOf(name string, value json.RawMessage) json.RawMessage {
	object, err := json.Marshal(map[string]json.RawMessage{name: value})
	if err != nil {
		return value // not JSON: use its bytes
	}
	return object
}
