package router

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// PresentedJSON returns the JSON by which a model sees a tool, as JSON.stringify would
// write {name, description, inputSchema}. The schema is compacted and otherwise kept byte
// for byte. A tool's tokens are counted on this text.
func PresentedJSON(name, description string, schema json.RawMessage) []byte {
	b := make([]byte, 0, len(name)+len(description)+len(description)/8+len(schema)+64)
	b = append(b, `{"name":`...)
	b = ijson.AppendQuote(b, strings.ToValidUTF8(name, "\uFFFD"))
	b = append(b, `,"description":`...)
	b = ijson.AppendQuote(b, strings.ToValidUTF8(description, "\uFFFD"))
	b = append(b, `,"inputSchema":`...)
	buffer := bytes.NewBuffer(b)
	if err := json.Compact(buffer, schema); err != nil {
		buffer.Write(schema) // cannot happen: a catalogue holds JSON only
	}
	buffer.WriteByte('}')
	return buffer.Bytes()
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
