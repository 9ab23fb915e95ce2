// Package mcpobject reads what MCP servers define: Tool and Prompt objects. It
// takes members by their exact names and judges none of them.
package mcpobject

import (
	"encoding/json"

	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// Object is a Tool or Prompt object of MCP, its members as parts of its
// text; nil where there is none.
type Object struct {
	Name, Title, Description, InputSchema, OutputSchema, Annotations, Arguments, Meta json.RawMessage
}

// Read reads an object, and calls others for each member that is none of
// those of [Object], as [ijson.Each] does; nil passes them over. It
// fails for what is no JSON object; null has no members.
func Read(raw json.RawMessage, others func(name []byte, value json.RawMessage)) (o Object, err error) {
	err = ijson.Each(raw, func(name []byte, value json.RawMessage) {
		switch string(name) {
		case "name":
			o.Name = value
		case "title":
			o.Title = value
		case "description":
			o.Description = value
		case "inputSchema":
			o.InputSchema = value
		case "outputSchema":
			o.OutputSchema = value
		case "annotations":
			o.Annotations = value
		case "arguments":
			o.Arguments = value
		case "_meta":
			o.Meta = value
		default:
			if others != nil {
				others(name, value)
			}
		}
	})
	return o, err
}
