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
	// perMessage is what a message costs besides its content: its role, and marks
	// at both ends.
	perMessage = 4
	// perImage is what an image costs, whatever its size: about that of a
	// screenshot.
	perImage = 1000
	// bytesPerToken is how many bytes of other data make a token, near enough: what
	// providers make of it is not known.
	bytesPerToken = 4
	// namedTokens is what a tool costs, about, that is only named.
	namedTokens = 25
	// maxCounted is how many bytes of one text are counted; the rest is taken to
	// cost as much. A text without spaces takes a second for each megabyte.
	maxCounted = 64 << 10
	// maxKnown is how many counts are remembered; with one more all are forgotten.
	maxKnown = 8192
)

// meter counts the o200k tokens of what requests hold, most of which was in the
// request before.
type meter struct {
	count func(text string) int
	seed  maphash.Seed

	mu    sync.Mutex
	known map[uint64]int
}

func newMeter(count func(text string) int) *meter {
	return &meter{count: count, seed: maphash.MakeSeed(), known: map[uint64]int{}}
}

// sections says where the context of a request goes that is not MCP's: the messages
// are those that the model gets, and kept are the places of the tools that are the
// host's own.
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

// message counts a message with what an edit makes of it.
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

// tool counts a tool as the catalogue counts those of servers.
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

// once counts what a key stands for, unless that is known.
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
