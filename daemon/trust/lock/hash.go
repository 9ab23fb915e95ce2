package lock

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// Tool returns the name and the lock entry of an MCP Tool object. Hashes are of the
// canonical JSON (RFC 8785), so that the spelling does not matter.
func Tool(raw json.RawMessage) (name string, tool Entry, err error) {
	o, err := readObject(raw)
	if err != nil {
		return "", Entry{}, fmt.Errorf("it is no tool object: %w", err)
	}
	return ijson.Text(o.Name), Entry{
		Texts: hash(o.Title, o.Description), InputSchema: hash(append([]json.RawMessage{o.InputSchema}, o.misspelt...)...),
		OutputSchema: hash(o.OutputSchema), Annotations: hash(o.Annotations), Meta: metaHash(o.Meta),
	}, nil
}

// Prompt returns the name and the lock entry of an MCP Prompt object. Its arguments are
// the input schema.
func Prompt(raw json.RawMessage) (name string, prompt Entry, err error) {
	o, err := readObject(raw)
	if err != nil {
		return "", Entry{}, fmt.Errorf("it is no prompt object: %w", err)
	}
	return ijson.Text(o.Name), Entry{
		Texts: hash(o.Title, o.Description), InputSchema: hash(append([]json.RawMessage{o.Arguments}, o.misspelt...)...),
		Meta: metaHash(o.Meta),
	}, nil
}

// noMeta is the hash of a missing `_meta`. Entries from before `_meta` was locked have an
// empty one and are not compared by it.
const noMeta = "-"

func metaHash(meta json.RawMessage) string { return cmp.Or(hash(meta), noMeta) }

// Instructions returns the lock entry of a server's instructions.
func Instructions(text string) Entry { return Entry{Texts: Text(text)} }

// OfferedResources returns the lock entry and the content for a server that offers
// resources.
func OfferedResources() (Entry, json.RawMessage) {
	const says = "It offers resources, which a client can list and read."
	return Entry{Texts: Text(says)}, json.RawMessage(`"` + says + `"`)
}

// contentLength is the number of characters in the name of a content: 96 bits.
const contentLength = 16

// Content returns a name that identifies the content, so that a decision refers to what
// was shown.
func (e Entry) Content() string {
	parts := []string{e.Texts, e.InputSchema, e.OutputSchema, e.Annotations}
	if e.Meta != noMeta && e.Meta != "" {
		parts = append(parts, e.Meta) // older decisions were named without it
	}
	return Text(strings.Join(parts, "\n"))[:contentLength]
}

// Contents returns a name for everything that a server offers, given the names of the
// contents.
func Contents(contents map[Key]string) string {
	all := strings.Builder{}
	all.WriteString("contents\n")
	for _, key := range slices.Sorted(maps.Keys(contents)) {
		fmt.Fprintf(&all, "%q %s\n", key, contents[key])
	}
	return Text(all.String())[:contentLength]
}

// Text returns the hash of a text, such as a server's instructions; "" for an empty text.
func Text(text string) string {
	if text == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// hash returns the SHA-256 of parts, one per line, in base64url; "" if all parts are
// missing or null.
func hash(parts ...json.RawMessage) string {
	var all bytes.Buffer
	said := false
	for _, part := range parts {
		v := jsontext.Value(bytes.Clone(part))
		if len(v) > 0 && v.Kind() != 'n' {
			said = true
			if err := v.Canonicalize(); err != nil {
				v = jsontext.Value(part) // not canonicalizable: use its bytes
			}
			all.Write(v)
		}
		all.WriteByte('\n')
	}
	if !said {
		return ""
	}
	sum := sha256.Sum256(all.Bytes())
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
