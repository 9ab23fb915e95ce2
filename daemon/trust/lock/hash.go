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

// Tool returns an MCP Tool object as it is locked. Two spellings of the same
// JSON have one hash: it is taken of the canonical form, RFC 8785.
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

// Prompt returns an MCP Prompt object as it is locked, its arguments as an input
// schema.
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

// noMeta stands for a `_meta` that is not there: entries of before it was locked
// have none, and are not compared by it.
const noMeta = "-"

func metaHash(meta json.RawMessage) string { return cmp.Or(hash(meta), noMeta) }

// Instructions returns a server's instructions as they are locked.
func Instructions(text string) Entry { return Entry{Texts: Text(text)} }

// OfferedResources returns that a server offers resources as it is locked, and as
// it is shown.
func OfferedResources() (Entry, json.RawMessage) {
	const says = "It offers resources, which a client can list and read."
	return Entry{Texts: Text(says)}, json.RawMessage(`"` + says + `"`)
}

// contentLength is how many characters of a hash name a content: 96 bits.
const contentLength = 16

// Content returns a name of the content, by which an answer about it says what
// was shown. It is another one for each other content.
func (e Entry) Content() string {
	parts := []string{e.Texts, e.InputSchema, e.OutputSchema, e.Annotations}
	if e.Meta != noMeta && e.Meta != "" {
		parts = append(parts, e.Meta) // answers of before it was locked name the others
	}
	return Text(strings.Join(parts, "\n"))[:contentLength]
}

// Contents returns a name of all that a server says, given the name of each
// content.
func Contents(contents map[Key]string) string {
	all := strings.Builder{}
	all.WriteString("contents\n")
	for _, key := range slices.Sorted(maps.Keys(contents)) {
		fmt.Fprintf(&all, "%q %s\n", key, contents[key])
	}
	return Text(all.String())[:contentLength]
}

// Text returns the hash of a text, such as a server's instructions; empty for
// none.
func Text(text string) string {
	if text == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// hash returns the SHA-256 of parts, one line each, in base64url; empty where
// every part is missing or null.
func hash(parts ...json.RawMessage) string {
	var all bytes.Buffer
	said := false
	for _, part := range parts {
		v := jsontext.Value(bytes.Clone(part))
		if len(v) > 0 && v.Kind() != 'n' {
			said = true
			if err := v.Canonicalize(); err != nil {
				v = jsontext.Value(part) // not JSON that has one form: its bytes are it
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
