package check

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

var keyName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

// types are the types of JSON Schema.
var types = []string{"string", "number", "integer", "boolean", "array", "object", "null"}

// node is a schema within a schema.
type node struct {
	members map[string]any
	// path is its position, such as filter.items.id; "" is the root.
	path string
	// required reports that its object requires it; optional reports that its object does
	// not.
	required, optional bool
}

// maxDepth limits the depth to which schemas are walked.
const maxDepth = 100

// walk calls visit for a schema and all nested ones, parents first.
func walk(schema any, visit func(n *node)) { walkNode(schema, node{}, maxDepth, visit) }

func walkNode(schema any, n node, depth int, visit func(n *node)) {
	members, ok := schema.(map[string]any)
	if !ok || depth == 0 {
		return
	}
	n.members = members
	visit(&n)
	required := stringsOf(members["required"])
	within := func(name string, schema any) {
		walkNode(schema, node{path: strings.TrimPrefix(n.path+"."+name, ".")}, depth-1, visit)
	}
	if properties, ok := members["properties"].(map[string]any); ok {
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			is := slices.Contains(required, name)
			walkNode(properties[name], node{path: strings.TrimPrefix(n.path+"."+name, "."), required: is, optional: !is}, depth-1, visit)
		}
	}
	for _, key := range []string{"$defs", "definitions", "patternProperties"} {
		if schemas, ok := members[key].(map[string]any); ok {
			for _, name := range slices.Sorted(maps.Keys(schemas)) {
				within(name, schemas[name])
			}
		}
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf", "prefixItems"} {
		if schemas, ok := members[key].([]any); ok {
			for _, schema := range schemas {
				walkNode(schema, node{path: n.path}, depth-1, visit)
			}
		}
	}
	for _, key := range []string{"items", "additionalProperties", "propertyNames", "not", "if", "then", "else", "contains"} {
		within(key, members[key])
	}
}

func stringsOf(value any) []string {
	var all []string
	items, _ := value.([]any)
	for _, item := range items {
		if text, ok := item.(string); ok {
			all = append(all, text)
		}
	}
	return all
}

// decode decodes a schema, or returns nil if it is not one.
func decode(raw json.RawMessage) any {
	var schema any
	if json.Unmarshal(raw, &schema) != nil {
		return nil
	}
	return schema
}

// schemas checks for what providers and clients refuse.
func (c *checker) schemas() {
	gemini := map[string][]string{}
	for i := range c.tools {
		name := c.tools[i].Definition.Name
		o := object(c.tools[i].Raw)
		root, ok := decode(o.InputSchema).(map[string]any)
		if !ok || root["type"] != "object" {
			c.find("schema-root", name, "its inputSchema has no \"type\": \"object\"; clients of MCP's SDK for TypeScript refuse the whole list for it",
				&Fix{Do: "Begin the schema so.", Line: `{"type": "object", "properties": {}}`})
		}
		if out := o.OutputSchema; len(out) > 0 {
			if m, ok := decode(out).(map[string]any); !ok || m["type"] != "object" {
				c.find("schema-root", name, "its outputSchema has no \"type\": \"object\"; clients of MCP's SDK for TypeScript refuse the whole list for it", do("Add it, or leave the outputSchema out."))
			}
		}
		if !ok {
			continue
		}
		for _, key := range []string{"anyOf", "oneOf", "allOf"} {
			if _, there := root[key]; there {
				c.find("schema-union", name, "Anthropic refuses every request with it: "+key+" at the root of its inputSchema", do("Say in the description which parameters go together, and check it in the call."))
				break
			}
		}
		if properties, ok := root["properties"].(map[string]any); ok {
			for _, key := range slices.Sorted(maps.Keys(properties)) {
				if !keyName.MatchString(key) {
					c.find("schema-key", name, fmt.Sprintf("Anthropic refuses every request with the parameter %q: letters, digits, _, . and -, at most 64", key), do("Rename the parameter."))
				}
			}
		}
		c.schemaNodes(name, root, gemini)
		if strict(root) {
			c.r.Server.Strict++
		}
	}
	for _, what := range slices.Sorted(maps.Keys(gemini)) {
		tools := gemini[what]
		c.find("schema-gemini", "", fmt.Sprintf("%s in %s: clients have to translate it for Gemini's function declarations", what, listed(tools)), nil)
	}
}

// schemaNodes checks a schema and all nested ones, with one finding of a kind per tool.
func (c *checker) schemaNodes(tool string, root map[string]any, gemini map[string][]string) {
	said := map[string]bool{}
	once := func(rule, text string, fix *Fix) {
		if !said[rule] {
			said[rule] = true
			c.find(rule, tool, text, fix)
		}
	}
	knows := func(what string) {
		if !slices.Contains(gemini[what], tool) {
			gemini[what] = append(gemini[what], tool)
		}
	}
	walk(root, func(n *node) {
		where := "the parameter " + n.path
		if n.path == "" {
			where = "the schema"
		}
		m := n.members
		if m["type"] == "array" && m["items"] == nil && m["prefixItems"] == nil {
			once("schema-items", where+" is a list without items: OpenAI refuses the request, VS Code leaves the tool out", &Fix{Do: "Say what it holds.", Line: `"items": {"type": "string"}`})
		}
		if wrong := invalid(m); wrong != "" {
			once("schema-invalid", fmt.Sprintf("%s is no JSON Schema of 2020-12: %s; Anthropic refuses the request", where, wrong), nil)
		}
		if ref, ok := m["$ref"].(string); ok {
			if !resolves(root, ref) {
				once("schema-ref", fmt.Sprintf("%s refers to %s, which is not in the schema", where, ref), do("Write what is meant in its place."))
			}
			knows("$ref")
		}
		properties, _ := m["properties"].(map[string]any)
		for _, name := range stringsOf(m["required"]) {
			if _, there := properties[name]; !there && properties != nil && m["patternProperties"] == nil {
				once("schema-required", fmt.Sprintf("%s requires %q, which is none of its properties", where, name), do("Define it, or require it no more."))
			}
		}
		if values, ok := m["enum"].([]any); ok && slices.ContainsFunc(values, func(v any) bool { _, text := v.(string); return !text }) {
			knows("an enum of other values than strings")
		}
		if _, list := m["type"].([]any); list {
			knows("a list of types")
		}
	})
}

// invalid returns what is wrong with one schema itself: features of other drafts, and
// errors; "" for nothing.
func invalid(m map[string]any) string {
	kinds := stringsOf(m["type"])
	if kind, ok := m["type"].(string); ok {
		kinds = []string{kind}
	}
	for _, kind := range kinds {
		if !slices.Contains(types, kind) {
			return fmt.Sprintf("there is no type %q", kind)
		}
	}
	for _, key := range []string{"exclusiveMinimum", "exclusiveMaximum"} {
		if _, is := m[key].(bool); is {
			return key + " is a number"
		}
	}
	if _, is := m["items"].([]any); is {
		return "items is one schema; a list of them is prefixItems"
	}
	if value, there := m["required"]; there {
		if _, is := value.([]any); !is {
			return "required is a list of names, beside properties"
		}
	}
	if value, there := m["properties"]; there {
		if _, is := value.(map[string]any); !is {
			return "properties is an object"
		}
	}
	if value, there := m["enum"]; there {
		if _, is := value.([]any); !is {
			return "enum is a list"
		}
	}
	return ""
}

// resolves reports whether a reference has a target within a schema. References by $id
// and $anchor are assumed to.
func resolves(root map[string]any, ref string) bool {
	pointer, local := strings.CutPrefix(ref, "#")
	if !local {
		return false
	}
	if pointer == "" || !strings.HasPrefix(pointer, "/") {
		return true
	}
	var at any = root
	for _, part := range strings.Split(pointer[1:], "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~", "%24", "$", "%25", "%", "%20", " ").Replace(part)
		switch v := at.(type) {
		case map[string]any:
			next, ok := v[part]
			if !ok {
				return false
			}
			at = next
		case []any:
			var i int
			if _, err := fmt.Sscanf(part, "%d", &i); err != nil || i < 0 || i >= len(v) {
				return false
			}
			at = v[i]
		default:
			return false
		}
	}
	return true
}

// strict reports whether a schema meets OpenAI's strict mode: every object lists all its
// properties, and requires them.
func strict(root map[string]any) bool {
	fits := true
	walk(root, func(n *node) {
		properties, _ := n.members["properties"].(map[string]any)
		if n.members["type"] == "object" || properties != nil {
			fits = fits && n.members["additionalProperties"] == false && len(stringsOf(n.members["required"])) == len(properties)
		}
		for _, key := range []string{"allOf", "not", "if", "patternProperties", "propertyNames"} {
			_, there := n.members[key]
			fits = fits && !there
		}
	})
	return fits
}
