package lock

import (
	"bytes"
	"encoding/json"

	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// hints returns MCP's annotations about harm. The value mild claims less harm; without
// the hint harm is assumed.
func hints() []struct {
	name string
	mild bool
} {
	return []struct {
		name string
		mild bool
	}{{"readOnlyHint", true}, {"destructiveHint", false}, {"idempotentHint", true}, {"openWorldHint", false}}
}

// stricter returns the locked tool with the annotations that claim the most harm of both:
// claims of less harm require approval, claims of more harm apply at once.
func stricter(locked, now json.RawMessage) json.RawMessage {
	was, is := annotationsOf(locked), annotationsOf(now)
	changed := false
	for _, hint := range hints() {
		if milder(was, is, hint.name, hint.mild) || bytes.Equal(was[hint.name], is[hint.name]) {
			continue
		}
		changed = true
		if value, said := is[hint.name]; said {
			was[hint.name] = value
		} else {
			delete(was, hint.name)
		}
	}
	if !changed {
		return locked
	}
	var tool map[string]json.RawMessage
	if json.Unmarshal(locked, &tool) != nil {
		return locked
	}
	var err error
	if tool["annotations"], err = json.Marshal(was); err != nil {
		return locked
	}
	edited, err := json.Marshal(tool)
	if err != nil {
		return locked
	}
	return edited
}

// milder reports whether a hint claims less harm than before.
func milder(was, is map[string]json.RawMessage, hint string, mild bool) bool {
	claims := func(said map[string]json.RawMessage) bool {
		if mild {
			return string(said[hint]) == "true"
		}
		return string(said[hint]) == "false"
	}
	return claims(is) && !claims(was)
}

// annotationsOf returns the annotations of a tool; empty if they are not an object.
func annotationsOf(raw json.RawMessage) map[string]json.RawMessage {
	return members(ijson.LastMember(raw, "annotations"))
}
