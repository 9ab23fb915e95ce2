package scan

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// maxDepth bounds the nesting of schemas that are searched for prose.
const maxDepth = 12

// definition holds the used members of a Tool object. They are decoded one by one, so
// that a member of an unexpected type does not hide the others.
type definition struct {
	name        string
	prose       []text
	annotations map[string]any
}

// readDefinition decodes a Tool object. Name and annotations are read under their exact
// names, prose under names in any case, because some clients ignore case.
func readDefinition(raw json.RawMessage) (d definition, err error) {
	members := map[string]json.RawMessage{}
	err = ijson.Each(raw, func(name []byte, value json.RawMessage) { members[string(name)] = value })
	if err != nil {
		return d, err
	}
	d.name = ijson.Text(members["name"])
	if annotations := members["annotations"]; annotations != nil && json.Unmarshal(annotations, &d.annotations) != nil {
		d.annotations = nil
	}
	var schemas []text
	for _, name := range slices.Sorted(maps.Keys(members)) {
		switch {
		case strings.EqualFold(name, "title"), strings.EqualFold(name, "description"):
			if words := ijson.Text(members[name]); words != "" {
				d.prose = append(d.prose, text{name, words})
			}
		case strings.EqualFold(name, "inputSchema"):
			var schema any
			if json.Unmarshal(members[name], &schema) == nil {
				schemas = schemaTexts(schemas, "", schema, maxDepth)
			}
		}
	}
	d.prose = append(d.prose, schemas...)
	return d, nil
}

// text is a piece of prose with its place.
type text struct{ where, words string }

// Said is the result of scanning one Tool object.
type Said struct {
	Name string
	// Findings are the suspicious contents.
	Findings []protocol.Finding
	// Mentions are possible names of tools in its texts.
	Mentions []Mentioned
}

// Tool scans an MCP Tool object. It returns the zero value for anything else.
func Tool(raw json.RawMessage) Said {
	d, err := readDefinition(raw)
	if err != nil {
		return Said{}
	}
	said := Said{Name: d.name}
	for _, t := range d.prose {
		for _, sentence := range sentences(t.words) {
			if addresses(sentence) {
				said.Findings = append(said.Findings, protocol.Finding{Kind: protocol.FindingAddresses, Text: shorten(sentence), Where: t.where})
			}
			for _, name := range compounds(sentence) {
				said.Mentions = append(said.Mentions, Mentioned{name, shorten(sentence), t.where})
			}
		}
		if hidden := hiddenIn(t.words); hidden != "" {
			said.Findings = append(said.Findings, protocol.Finding{Kind: protocol.FindingHidden, Text: hidden, Where: t.where})
		}
	}
	if d.annotations["readOnlyHint"] == true && changes(d.name) {
		said.Findings = append(said.Findings, protocol.Finding{Kind: protocol.FindingReadOnlyName, Text: d.name, Where: "name"})
	}
	return said
}

// schemaTexts appends the prose of a schema; where is the parameter that it belongs to.
func schemaTexts(all []text, where string, schema any, depth int) []text {
	if depth == 0 {
		return all
	}
	switch s := schema.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(s)) {
			words, prose := s[key].(string)
			if properties, ok := s[key].(map[string]any); ok && key == "properties" {
				for _, name := range slices.Sorted(maps.Keys(properties)) {
					all = append(all, text{name, name})
					all = schemaTexts(all, name, properties[name], depth-1)
				}
			} else if prose && slices.Contains([]string{"description", "title", "default", "const"}, key) {
				all = append(all, text{where, words})
			} else if !prose {
				all = schemaTexts(all, where, s[key], depth-1)
			}
		}
	case []any:
		for _, item := range s {
			if words, ok := item.(string); ok {
				all = append(all, text{where, words})
			} else {
				all = schemaTexts(all, where, item, depth-1)
			}
		}
	}
	return all
}

// hiddenIn returns the first word that mixes scripts. Without one, it returns up to 40
// bytes before the first invisible character with the character's code, or "" if there is
// none either. Invisible characters are normally removed from servers' data before.
func hiddenIn(words string) string {
	if !strings.ContainsFunc(words, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return ""
	}
	for part := range strings.FieldsSeq(words) {
		if Mixed(part) {
			return part
		}
	}
	for i, r := range words {
		if r >= 0xE0000 && r <= 0xE0FFF || unicode.Is(unicode.Bidi_Control, r) {
			from := max(0, i-40)
			return strings.ToValidUTF8(words[from:i], "") + "…" + "U+" + strings.ToUpper(hex(r))
		}
	}
	return ""
}

func hex(r rune) string {
	const digits = "0123456789abcdef"
	var b []byte
	for ; r > 0; r /= 16 {
		b = append([]byte{digits[r%16]}, b...)
	}
	return string(b)
}

// verbs match verbs of change, as the first or second part of a tool's name.
var verbs = regexp.MustCompile(`^(?:delete|remove|drop|destroy|erase|purge|wipe|truncate|create|insert|write|update|overwrite|send|post|publish|upload|deploy|execute|kill|terminate|revoke|grant|transfer|pay|purchase|push)$`)

// reads match verbs of reading, which take precedence.
var reads = regexp.MustCompile(`^(?:get|list|read|reader|search|find|fetch|describe|show|check|view|preview|plan|generate|status|query)$`)

// word matches the parts of a name.
var word = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)

// changes reports whether a tool's name implies a change.
func changes(name string) bool {
	found := false
	for i, part := range word.FindAllString(name, -1) {
		part = strings.ToLower(part)
		if reads.MatchString(part) {
			return false
		}
		found = found || i < 2 && verbs.MatchString(part)
	}
	return found
}
