package check

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/display"
	"github.com/winnow-mcp/winnow/ranker/bank"
	"github.com/winnow-mcp/winnow/router"
)

// saving is a way to spend fewer tokens on a schema without losing information.
type saving struct {
	// what is omitted; do is how.
	what, do string
	// cut removes it from one schema within another.
	cut func(n *node)
}

// maxSafe is JavaScript's greatest safe integer, which zod writes as a bound of every
// integer.
const maxSafe = 9007199254740991

// longPattern is the length from which a pattern beside a format is omitted.
const longPattern = 24

// savings are applied in order.
var savings = []saving{
	{`"$schema"`, "Leave $schema out: MCP says which dialect it is.", func(n *node) {
		if n.path == "" {
			delete(n.members, "$schema")
		}
	}},
	{"titles that repeat the name", `Leave "title" out of the properties (pydantic: model_json_schema with a GenerateJsonSchema whose field_title_should_be_set is false).`, func(n *node) {
		title, ok := n.members["title"].(string)
		if ok && strings.EqualFold(strings.Join(bank.Words(title), ""), strings.Join(bank.Words(lastName(n.path)), "")) {
			delete(n.members, "title")
		}
	}},
	{"bounds of every whole number", "Leave out minimum and maximum of ±9007199254740991, which zod writes for integers.", func(n *node) {
		for _, key := range []string{"minimum", "maximum", "exclusiveMaximum"} {
			if bound, ok := n.members[key].(float64); ok && (bound >= maxSafe || bound <= -maxSafe) {
				delete(n.members, key)
			}
		}
	}},
	{"patterns of a known format", `Leave "pattern" out where "format" says the same; zod writes both.`, func(n *node) {
		pattern, _ := n.members["pattern"].(string)
		if _, ok := n.members["format"].(string); ok && len(pattern) > longPattern {
			delete(n.members, "pattern")
		}
	}},
	{"null for what is optional", `Leave {"type": "null"} and "default": null out of parameters that are not required: a model omits those.`, func(n *node) {
		if value, there := n.members["default"]; !n.optional || !there || value != nil {
			return // null may have a meaning, such as to clear a value
		}
		choices, _ := n.members["anyOf"].([]any)
		rest := slices.DeleteFunc(slices.Clone(choices), func(one any) bool {
			m, ok := one.(map[string]any)
			return ok && m["type"] == "null" && len(m) == 1
		})
		if len(rest) == len(choices) || len(rest) == 0 {
			return
		}
		if only, ok := rest[0].(map[string]any); ok && len(rest) == 1 && disjoint(only, n.members) {
			delete(n.members, "anyOf")
			maps.Copy(n.members, only)
		} else {
			n.members["anyOf"] = rest
		}
		delete(n.members, "default")
	}},
	{"what says nothing", `Leave out empty descriptions, "required": [], "additionalProperties": {} and propertyNames of type string.`, func(n *node) {
		if n.members["description"] == "" {
			delete(n.members, "description")
		}
		if names, ok := n.members["required"].([]any); ok && len(names) == 0 {
			delete(n.members, "required")
		}
		if more, ok := n.members["additionalProperties"].(map[string]any); ok && len(more) == 0 {
			delete(n.members, "additionalProperties")
		}
		if names, ok := n.members["propertyNames"].(map[string]any); ok && len(names) == 1 && names["type"] == "string" {
			delete(n.members, "propertyNames")
		}
	}},
	{"definitions that nothing refers to", "Leave unused $defs out.", func(n *node) {
		if n.path != "" {
			return
		}
		text, _ := json.Marshal(n.members)
		for _, key := range []string{"$defs", "definitions"} {
			defs, _ := n.members[key].(map[string]any)
			for name := range defs {
				if !strings.Contains(string(text), "/"+name+`"`) {
					delete(defs, name)
				}
			}
			if defs != nil && len(defs) == 0 {
				delete(n.members, key)
			}
		}
	}},
}

// lastName returns the last property of a path.
func lastName(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// disjoint reports whether a and b share no member except anyOf.
func disjoint(a, b map[string]any) bool {
	for key := range a {
		if _, there := b[key]; there && key != "anyOf" {
			return false
		}
	}
	return true
}

// lean returns a schema without what can be omitted, and the tokens saved by each saving.
func (c *checker) lean(schema json.RawMessage) (json.RawMessage, []int) {
	saved := make([]int, len(savings))
	root := decode(schema)
	before, size := c.encoded(root)
	for i := range savings {
		walk(root, savings[i].cut)
		after, now := c.encoded(root)
		saved[i] = size - now
		before, size = after, now
	}
	return before, saved
}

func (c *checker) encoded(schema any) (json.RawMessage, int) {
	text, err := json.Marshal(schema)
	if err != nil {
		return nil, 0
	}
	return text, c.f.count(string(text))
}

// spare computes what each tool costs, and what of that is unnecessary.
func (c *checker) spare() {
	saved, tools := make([]int, len(savings)), make([][]string, len(savings))
	var repeats []string
	repeated := 0
	for i := range c.tools {
		t, r := &c.tools[i], &c.r.Tools[i]
		lean, each := c.lean(t.Schema)
		for k, n := range each {
			if n > 0 {
				saved[k] += n
				tools[k] = append(tools[k], r.Name)
				r.Spare += n
			}
		}
		text, without := t.Description, withoutArguments(t)
		if less := c.f.count(text) - c.f.count(without); less > 0 {
			repeats = append(repeats, r.Name)
			repeated += less
			r.Spare += less
			text = without
		}
		c.r.Server.Spare += r.Spare
		c.leaner = append(c.leaner, with(withDescription(t.Raw, text), "inputSchema", lean))
	}
	for k := range savings {
		if saved[k] > 0 {
			c.find("spare", "", fmt.Sprintf("%s: %s in %s", savings[k].what, display.Count(saved[k], "token"), listed(tools[k])), &Fix{Do: savings[k].do, Tokens: -saved[k]})
		}
	}
	if repeated > 0 {
		c.find("spare", "", fmt.Sprintf("parameters that are described twice, in the description and in the schema: %s in %s", display.Count(repeated, "token"), listed(repeats)),
			&Fix{Do: "Leave the list of arguments out of the description.", Tokens: -repeated})
	}
	c.repeatedParameters()
}

// argumentsSection matches the beginning of a list of arguments, as in docstrings.
var argumentsSection = regexp.MustCompile(`(?m)^[ \t#*]*(?:Args|Arguments|Parameters|Params|Inputs?):?[*]*:?[ \t]*$`)

// sectionEnd matches the beginning of the next section.
var sectionEnd = regexp.MustCompile(`(?m)^[ \t#*]*[A-Z][A-Za-z ]{2,30}:?[*]*:[ \t]*$|^#+ `)

// withoutArguments returns a tool's description without a list of its parameters, if its
// schema also describes each of them.
func withoutArguments(t *router.Tool) string {
	at := argumentsSection.FindStringIndex(t.Description)
	if at == nil || len(t.Parameters) == 0 {
		return t.Description
	}
	for _, p := range t.Parameters {
		if p.Description == "" {
			return t.Description
		}
	}
	rest := ""
	if end := sectionEnd.FindStringIndex(t.Description[at[1]:]); end != nil {
		rest = "\n" + t.Description[at[1]+end[0]:]
	}
	section := strings.TrimSuffix(t.Description[at[0]:], strings.TrimPrefix(rest, "\n"))
	named := 0
	for _, p := range t.Parameters {
		if strings.Contains(section, p.Name) {
			named++
		}
	}
	if 2*named < len(t.Parameters) {
		return t.Description
	}
	return strings.TrimSpace(strings.TrimSpace(t.Description[:at[0]]) + rest)
}

const (
	// repeatedOften is the fewest tools, and repeatedTokens the fewest tokens beyond the
	// first, for which a repeated parameter is reported.
	repeatedOften  = 5
	repeatedTokens = 200
)

// repeatedParameters finds parameters that many tools describe with the same words.
func (c *checker) repeatedParameters() {
	type key struct{ name, text string }
	tools := map[key]int{}
	for i := range c.tools {
		for _, p := range c.tools[i].Parameters {
			if p.Description != "" {
				tools[key{p.Name, p.Description}]++
			}
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(tools), func(a, b key) int { return strings.Compare(a.name+a.text, b.name+b.text) }) {
		each := c.f.count(k.text)
		if n := tools[k]; n >= repeatedOften && each*(n-1) >= repeatedTokens {
			c.find("repeated", "", fmt.Sprintf("the parameter %s has the same %s in %d tools: %s", k.name, display.Count(each, "token"), n, quoted(k.text)),
				&Fix{Do: "Say it once, in the server's instructions, and a few words here.", Tokens: -(each - each/5) * (n - 1)})
		}
	}
}
