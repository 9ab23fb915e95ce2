package calls

import (
	"encoding/json"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// callResult reads an MCP CallToolResult. It keeps content blocks as they are, except
// those that no host can read.
func callResult(r *upstream.Result) (*protocol.TaskCallResult, error) {
	var wire struct {
		Content           []json.RawMessage `json:"content"`
		StructuredContent json.RawMessage   `json:"structuredContent"`
		Meta              json.RawMessage   `json:"_meta"`
	}
	if err := json.Unmarshal(r.Raw, &wire); err != nil {
		return nil, err
	}
	return &protocol.TaskCallResult{
		Content:           readable(wire.Content),
		IsError:           r.IsError,
		StructuredContent: wire.StructuredContent,
		Meta:              wire.Meta,
	}, nil
}

// readable converts content items that are not valid MCP blocks, such as null or a text
// that is a number, into text blocks. Hosts can then rely on the blocks' form, and no
// content is lost.
func readable(content []json.RawMessage) []json.RawMessage {
	for i, raw := range content {
		var block struct {
			Type, Text, Data, MIMEType, URI, Name string
			Resource                              *struct{ URI, MIMEType, Text, Blob string }
		}
		if err := json.Unmarshal(raw, &block); err != nil || block.Type == "" {
			content[i] = textBlock(string(raw))
		}
	}
	return content
}

func textBlock(text string) json.RawMessage {
	return codec.Marshal(struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}{"text", text})
}

// TextResult returns an answer of the daemon itself.
func TextResult(text string, isError bool) *protocol.TaskCallResult {
	return &protocol.TaskCallResult{Content: []json.RawMessage{textBlock(text)}, IsError: isError}
}

// objectOf returns arguments as an object. Models send none, null, or an object encoded
// as a string.
func objectOf(arguments json.RawMessage) json.RawMessage {
	if len(arguments) == 0 || string(arguments) == "null" {
		return json.RawMessage("{}")
	}
	var inner string
	if json.Unmarshal(arguments, &inner) != nil {
		return arguments
	}
	if object, err := ijson.Normalize([]byte(inner)); err == nil {
		return object
	}
	return arguments
}
