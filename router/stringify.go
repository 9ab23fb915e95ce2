package router

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"

	"github.com/winnow-mcp/winnow/protocol"
)

// PresentedJSON returns the JSON by which a model sees a tool, as
// JSON.stringify would write {name, description, inputSchema}. The schema is
// compacted and otherwise kept byte for byte. It is what a tool's tokens are
// counted on.
func PresentedJSON(name, description string, schema json.RawMessage) []byte {
	b := make([]byte, 0, len(name)+len(description)+len(description)/8+len(schema)+64)
	b = append(b, `{"name":`...)
	b = appendQuoted(b, name)
	b = append(b, `,"description":`...)
	b = appendQuoted(b, description)
	b = append(b, `,"inputSchema":`...)
	buffer := bytes.NewBuffer(b)
	if err := json.Compact(buffer, schema); err != nil {
		buffer.Write(schema) // cannot happen: a catalogue holds JSON only
	}
	buffer.WriteByte('}')
	return buffer.Bytes()
}

// appendQuoted appends s as JSON.stringify quotes it. encoding/json would
// escape the line separators U+2028 and U+2029 besides, and count differently.
func appendQuoted(b []byte, s string) []byte {
	s = strings.ToValidUTF8(s, "\uFFFD")
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		escape := escapeOf(s[i])
		if escape == "" {
			continue
		}
		b = append(append(b, s[start:i]...), escape...)
		start = i + 1
	}
	return append(append(b, s[start:]...), '"')
}

// escapeOf returns how JSON.stringify writes a byte; empty when as it is.
func escapeOf(c byte) string {
	switch c {
	case '"':
		return `\"`
	case '\\':
		return `\\`
	case '\b':
		return `\b`
	case '\f':
		return `\f`
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	}
	if c < 0x20 {
		const hexDigits = "0123456789abcdef"
		return `\u00` + string([]byte{hexDigits[c>>4], hexDigits[c&0xF]})
	}
	return ""
}

// metaCounter counts the tokens of Winnow's own tools. Their texts are few:
// each is counted once.
type metaCounter struct {
	count func(text string) int

	mu    sync.Mutex
	known map[metaText]int // guarded by mu
}

// metaText is what a model sees of one of Winnow's own tools. The same text is
// presented once, not in each turn.
type metaText struct{ name, description, schema string }

// maxCounted bounds the texts that are kept; an index of servers is one each.
const maxCounted = 64

func (c *metaCounter) tokens(m protocol.MetaTool) int {
	key := metaText{m.Name, m.Description, string(m.InputSchema)}
	c.mu.Lock()
	n, ok := c.known[key]
	c.mu.Unlock()
	if ok {
		return n
	}
	n = c.count(string(PresentedJSON(m.Name, m.Description, m.InputSchema)))
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= maxCounted {
		c.known = map[metaText]int{}
	}
	c.known[key] = n
	return n
}
