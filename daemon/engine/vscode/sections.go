package vscode

import (
	"encoding/json"
	"hash/maphash"
	"strings"
	"sync"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

const (
	// perMessage is the cost of a message besides its content, in tokens: its role, and
	// marks at both ends.
	perMessage = 4
	// perImage is the cost of an image of any size, about that of a screenshot.
	perImage = 1000
	// bytesPerToken approximates the bytes per token of data other than images, of which
	// it is not known what providers make.
	bytesPerToken = 4
	// namedTokens is the approximate cost of a tool that is only named.
	namedTokens = 25
	// maxCounted is how many bytes of one text are counted; the rest is extrapolated. A
	// text without spaces takes a second per megabyte.
	maxCounted = 64 << 10
	// maxKnown is how many counts are cached; the cache is cleared when it is full.
	maxKnown = 8192
)

// meter counts the o200k tokens of requests. It caches the counts of texts and tools,
// since a request repeats most of the previous one. It is safe for concurrent use.
type meter struct {
	count func(text string) int
	seed  maphash.Seed

	mu    sync.Mutex
	known map[uint64]int
}

func newMeter(count func(text string) int) *meter {
	return &meter{count: count, seed: maphash.MakeSeed(), known: map[uint64]int{}}
}

// sections breaks down the context of a request that is not MCP's, with the messages as
// edits leave them. kept holds the indexes of the host's own tools.
func (m *meter) sections(messages []protocol.MessageDigest, edits []protocol.MessageEdit, tools []protocol.RequestTool, kept []int) []protocol.UsageSection {
	system, rest, own := 0, 0, 0
	for i := range messages {
		var edit protocol.MessageEdit
		if len(edits) > 0 && edits[0].Message == i {
			edit, edits = edits[0], edits[1:]
		}
		tokens := m.message(messages[i].Parts, &edit)
		if messages[i].Role == "system" {
			system += tokens
		} else {
			rest += tokens
		}
	}
	for _, i := range kept {
		own += m.tool(&tools[i])
	}
	return []protocol.UsageSection{
		{Name: "System prompt", Tokens: system}, {Name: "VS Code's tools", Tokens: own}, {Name: "Conversation", Tokens: rest},
	}
}

// message counts a message after an edit.
func (m *meter) message(parts []protocol.MessagePart, edit *protocol.MessageEdit) int {
	sum := 0
	for _, further := range [][]protocol.EditMessage{edit.Before, edit.After} {
		for i := range further {
			sum += perMessage + m.parts(partsOf(further[i].Parts))
		}
	}
	if edit.Drop {
		return sum
	}
	sum += perMessage
	if edit.Parts == nil {
		return sum + m.parts(parts)
	}
	for i := range edit.Parts {
		if p := &edit.Parts[i]; p.Part == nil {
			sum += m.parts(parts[p.Keep : p.Keep+1])
		} else {
			sum += m.parts(partsOf([]json.RawMessage{p.Part}))
		}
	}
	return sum
}

// partsOf reads the parts of an edit.
func partsOf(raw []json.RawMessage) []protocol.MessagePart {
	parts := make([]protocol.MessagePart, len(raw))
	for i, p := range piecesOf(raw) {
		parts[i] = p.part
	}
	return parts
}

func (m *meter) parts(parts []protocol.MessagePart) int {
	sum := 0
	for i := range parts {
		p := &parts[i]
		switch {
		case p.Kind == protocol.PartResult:
			sum += m.parts(p.Content)
		case p.Kind == protocol.PartCall:
			sum += m.text(p.Name) + m.text(string(p.Input))
		case p.Kind != protocol.PartData:
			sum += m.text(p.Text)
		case strings.HasPrefix(p.MimeType, "image/"):
			sum += perImage
		default:
			sum += int(p.Length+bytesPerToken-1) / bytesPerToken
		}
	}
	return sum
}

// tool counts a tool like the catalogue counts those of servers.
func (m *meter) tool(t *protocol.RequestTool) int {
	var h maphash.Hash
	h.SetSeed(m.seed)
	for _, field := range []string{t.Name, t.Description} {
		_, _ = h.WriteString(field)
		_ = h.WriteByte(0)
	}
	_, _ = h.Write(t.InputSchema)
	return m.once(h.Sum64(), func() int {
		schema := t.InputSchema
		if len(schema) == 0 {
			schema = json.RawMessage(noParameters)
		}
		return m.count(string(router.PresentedJSON(t.Name, t.Description, schema)))
	})
}

func (m *meter) text(text string) int {
	if text == "" {
		return 0
	}
	return m.once(maphash.String(m.seed, text), func() int {
		if len(text) <= maxCounted {
			return m.count(text)
		}
		return m.count(text[:maxCounted]) * len(text) / maxCounted
	})
}

// once returns the cached count of a key, or calls count and caches its result.
func (m *meter) once(key uint64, count func() int) int {
	m.mu.Lock()
	n, ok := m.known[key]
	m.mu.Unlock()
	if ok {
		return n
	}
	n = count()
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.known) >= maxKnown {
		clear(m.known)
	}
	m.known[key] = n
	return n
}
