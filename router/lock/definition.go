package lock

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/router/jsonobject"
)

// lockedMembers are those of Tool and Prompt objects that are locked, in the
// order in which they are shown.
func lockedMembers() []string {
	return []string{"name", "title", "description", "inputSchema", "arguments", "annotations", "outputSchema"}
}

// definition is a Tool or Prompt object of MCP, its members as parts of its
// text; nil where there is none.
type definition struct {
	name                                                                  string
	title, description, inputSchema, outputSchema, annotations, arguments json.RawMessage
	// misspelt are members whose names differ from those above in upper and lower
	// case only, each as an object of one member. Some clients do not tell them
	// apart, and read these.
	misspelt []json.RawMessage
}

// readDefinition reads the members by their exact names.
func readDefinition(raw json.RawMessage) (d definition, err error) {
	err = jsonobject.Each(raw, func(name []byte, value json.RawMessage) {
		switch string(name) {
		case "name":
			d.name = jsonobject.Text(value)
		case "title":
			d.title = value
		case "description":
			d.description = value
		case "inputSchema":
			d.inputSchema = value
		case "outputSchema":
			d.outputSchema = value
		case "annotations":
			d.annotations = value
		case "arguments":
			d.arguments = value
		default:
			if misspelt(string(name)) {
				d.misspelt = append(d.misspelt, memberOf(string(name), value))
			}
		}
	})
	return d, err
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
