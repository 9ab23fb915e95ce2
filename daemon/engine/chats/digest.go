package chats

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"hash/maphash"
	"strconv"
	"strings"
	"sync"

	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// Kind is the kind of a [Part] of a message.
type Kind byte

// The kinds of parts. Other content changes while a chat continues (thinking, its
// signatures, cache marks, IDs) and is not a part.
const (
	Text   Kind = 't'
	Call   Kind = 'c' // of a tool, by the model
	Result Kind = 'r' // of a call
	Data   Kind = 'd' // a picture, a file, what only one provider has
)

// Part is the part of a message from which its digest is made.
type Part struct {
	Kind Kind
	// Name is the name of the called tool.
	Name string
	// Text is a text, a call's arguments as JSON, the text of a result, or data as in the
	// format.
	Text string
}

// digestBytes is how many bytes of a SHA-256 a digest keeps.
const digestBytes = 18

// Digest returns the same string for messages with the same content. It ignores how a
// text is split into parts and surrounded by spaces, the client's own additions, the
// order of keys in an object, and IDs.
func Digest(parts []Part) string {
	sum := sha256.New()
	h := bufio.NewWriter(sum) // avoids a copy of the whole text
	var text []string
	write := func(kind Kind, fields ...string) {
		_ = h.WriteByte(byte(kind))
		for _, f := range fields {
			writeField(h, f)
		}
	}
	flush := func() {
		if len(text) > 0 {
			write(Text, strings.Join(text, "\n"))
		}
		text = nil
	}
	for i := range parts {
		p := &parts[i]
		if p.Kind == Text {
			if said := strings.TrimSpace(without(p.Text, clientElements)); said != "" {
				text = append(text, said)
			}
			continue
		}
		flush()
		switch p.Kind {
		case Call, Data:
			write(p.Kind, p.Name, canonical(p.Text))
		case Result:
			said := strings.TrimSpace(without(p.Text, clientElements))
			if strings.HasPrefix(said, "{") { // Gemini's are objects
				said = canonical(said)
			}
			write(p.Kind, said)
		}
	}
	flush()
	_ = h.Flush()
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:digestBytes])
}

// Digests caches the digests of messages, because most messages of a request were in the
// previous one. The zero value is ready to use. Safe for concurrent use.
type Digests struct {
	mu    sync.Mutex
	known map[[2]uint64]string
}

// digestSeeds are the seeds of the keys, for the life of this process.
var digestSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// maxDigests bounds the cached messages; at the limit the cache is emptied.
const maxDigests = 4096

// of is [Digest] with a cache; a nil Digests caches nothing.
func (d *Digests) of(parts []Part) string {
	if d == nil {
		return Digest(parts)
	}
	var key [2]uint64
	for i, seed := range digestSeeds {
		var h maphash.Hash
		h.SetSeed(seed)
		for k := range parts {
			p := &parts[k]
			head := append(make([]byte, 0, 24), byte(p.Kind))
			head = binary.AppendUvarint(head, uint64(len(p.Name)))
			_, _ = h.Write(binary.AppendUvarint(head, uint64(len(p.Text))))
			_, _ = h.WriteString(p.Name)
			_, _ = h.WriteString(p.Text)
		}
		key[i] = h.Sum64()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	digest, ok := d.known[key]
	if !ok {
		if d.known == nil || len(d.known) == maxDigests {
			d.known = map[[2]uint64]string{}
		}
		digest = Digest(parts)
		d.known[key] = digest
	}
	return digest
}

// writeField writes a text with its length, so that adjacent fields are distinct.
func writeField(h *bufio.Writer, text string) {
	_, _ = h.WriteString(strconv.Itoa(len(text)) + " ")
	_, _ = h.WriteString(text)
}

// maxCanonical bounds in bytes the JSON that is canonicalized. Larger JSON is a file's
// content, which clients do not rewrite.
const maxCanonical = 256 << 10

// canonical returns JSON with sorted keys and without spaces, and any other text
// unchanged. An empty text is an empty object.
func canonical(text string) string {
	if strings.TrimSpace(text) == "" {
		return "{}"
	}
	if len(text) > maxCanonical {
		return text
	}
	return string(ijson.Canonical([]byte(text)))
}
