package router

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/winnow-mcp/winnow/protocol/ijson"
	"github.com/winnow-mcp/winnow/protocol/mcpobject"
	"github.com/winnow-mcp/winnow/ranker"
)

// Definition is what a server says of a tool, without what the user or Winnow adds.
type Definition struct {
	// Raw is the tool exactly as received.
	Raw json.RawMessage
	// Name is the tool's own name, which its server expects in a call.
	Name        string
	Title       string
	Description string
	// Schema is the inputSchema exactly as received. It is an object without properties
	// if there was none, or one that no arguments satisfy.
	Schema json.RawMessage
	// Annotations is the object as received; nil if there was none.
	Annotations json.RawMessage
	ReadOnly    ranker.Hint
	Destructive ranker.Hint
	// AsksAlwaysLoad is the server's request to be pinned, _meta["anthropic/alwaysLoad"].
	AsksAlwaysLoad bool
	// Parameters are the schema's properties, for ranking.
	Parameters []ranker.Parameter
}

// emptySchema replaces a missing schema, because every provider requires one.
const emptySchema = `{"type":"object","properties":{}}`

// parseDefinition reads an MCP Tool object. It requires only a name: an invalid
// description or schema is the server's fault, and a model may still use the tool. A
// panic while reading becomes an error, so it costs only this tool.
func parseDefinition(raw json.RawMessage) (d Definition, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	wire, err := mcpobject.Read(raw, nil)
	if err != nil {
		return Definition{}, fmt.Errorf("it is no tool object: %w", err)
	}
	d = Definition{
		Raw:            raw,
		Name:           ijson.Text(wire.Name),
		Title:          ijson.Text(wire.Title),
		Description:    ijson.Text(wire.Description),
		Schema:         wire.InputSchema,
		AsksAlwaysLoad: asksAlwaysLoad(wire.Meta),
	}
	if strings.TrimSpace(d.Name) == "" {
		return Definition{}, errors.New("it has no name")
	}
	if strings.Contains(d.Name, identitySeparator) {
		return Definition{}, errors.New("its name holds a NUL character")
	}
	var kind string
	if isObject(d.Schema) {
		kind, d.Parameters = readSchema(d.Schema)
	}
	if !isObject(d.Schema) || kind != "" && kind != "object" {
		// A provider refuses the whole request for a schema of another type.
		d.Schema, d.Parameters = json.RawMessage(emptySchema), nil
	}
	d.annotate(wire.Annotations)
	return d, nil
}

func asksAlwaysLoad(meta json.RawMessage) bool {
	if !isObject(meta) {
		return false
	}
	var wishes map[string]json.RawMessage
	return json.Unmarshal(meta, &wishes) == nil && string(wishes["anthropic/alwaysLoad"]) == "true"
}

func (d *Definition) annotate(raw json.RawMessage) {
	if !isObject(raw) {
		return
	}
	var title, readOnly, destructive json.RawMessage
	err := ijson.Each(raw, func(name []byte, value json.RawMessage) {
		switch string(name) {
		case "title":
			title = value
		case "readOnlyHint":
			readOnly = value
		case "destructiveHint":
			destructive = value
		}
	})
	if err != nil {
		return
	}
	d.Annotations = raw
	d.ReadOnly, d.Destructive = asHint(readOnly), asHint(destructive)
	if d.Title == "" {
		d.Title = ijson.Text(title)
	}
}

func asHint(raw json.RawMessage) ranker.Hint {
	switch string(raw) {
	case "true":
		return ranker.Yes
	case "false":
		return ranker.No
	}
	return ranker.Unsaid
}

// identitySeparator separates server and tool in an identity's key. No tool's name
// contains it, so the key is unique.
const identitySeparator = "\x00"

// ToolID is a tool's identity within a source.
type ToolID struct {
	Server string
	Tool   string
}

// String returns the identity as server/tool.
func (id ToolID) String() string { return id.Server + "/" + id.Tool }

// key returns the identity as one unique string.
func (id ToolID) key() string { return id.Server + identitySeparator + id.Tool }

// compare orders identities by server, then by tool.
func (id ToolID) compare(other ToolID) int {
	return cmp.Or(strings.Compare(id.Server, other.Server), strings.Compare(id.Tool, other.Tool))
}

// GatingName is the tool by which a server says which of its own tools matter for a
// message. Models never see it.
const GatingName = "_tool_gating"
