package lock

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol/mcpobject"
)

// lockedMembers are those of Tool and Prompt objects that are locked, in the
// order in which they are shown.
func lockedMembers() []string {
	return []string{"name", "title", "description", "inputSchema", "arguments", "annotations", "outputSchema", "_meta"}
}

// object is a Tool or Prompt object, and what some clients take for parts of it.
type object struct {
	mcpobject.Object

	// misspelt are members whose names differ from those of [lockedMembers] in
	// upper and lower case only, each as an object of one member, by name. Some
	// clients do not tell them apart, and read these.
	misspelt []json.RawMessage
}

func readObject(raw json.RawMessage) (o object, err error) {
	odd := map[string]json.RawMessage{} // of a name that is there twice, the last one counts
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

// misspelt reports whether a name is one of [lockedMembers] in another case.
func misspelt(name string) bool {
	return slices.ContainsFunc(lockedMembers(), func(known string) bool { return strings.EqualFold(known, name) })
}

// memberOf returns an object of one member.
func memberOf(name string, value json.RawMessage) json.RawMessage {
	object, err := json.Marshal(map[string]json.RawMessage{name: value})
	if err != nil {
		return value // not JSON: its bytes are it
	}
	return object
}
