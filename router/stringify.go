package router

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"

	"github.com/winnow-mcp/winnow/protocol"
)

// PresentedJSON returns the JSON by which a model sees a tool, as JSON.stringify would
// write {name, description, inputSchema}. The schema is compacted and otherwise kept byte
// for byte. A tool's tokens are counted on this text.
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

// appendQuoted appends s quoted as by JSON.stringify. encoding/json would also escape
// U+2028 and U+2029, which changes the token count.
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

// escapeOf returns the escape that JSON.stringify writes for a byte, or "" if none.
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

// metaCounter counts the tokens of Winnow's own tools. It caches the counts, because
// there are few texts. Safe for concurrent use.
type metaCounter struct {
	count func(text string) int

	mu    sync.Mutex
	known map[metaText]int // guarded by mu
}

// metaText is what a model sees of one of Winnow's own tools: the cache key.
type metaText struct{ name, description, schema string }

// maxCounted bounds the cached texts; each distinct index of servers is one.
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
