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

// Kind says what a [Part] of a message is.
type Kind byte

// The kinds. What a message holds besides comes and goes while a chat goes on
// (thinking, its signatures, cache marks, ids), and is no part.
const (
	Text   Kind = 't'
	Call   Kind = 'c' // of a tool, by the model
	Result Kind = 'r' // of a call
	Data   Kind = 'd' // a picture, a file, what only one provider has
)

// Part is a part of a message.
type Part struct {
	Kind Kind
	// Name is that of the tool of a call.
	Name string
	// Text is a text, a call's arguments as JSON, the text of a result, or data
	// as the format has it.
	Text string
}

// digestBytes is how much of a SHA-256 a digest keeps.
const digestBytes = 18

// Digest returns a string that messages share which say the same: whether a text
// comes alone or in parts, between spaces, and with or without what the client
// has added of its own; in whatever order the keys of an object are written; and
// under whichever ids.
func Digest(parts []Part) string {
	sum := sha256.New()
	h := bufio.NewWriter(sum) // copies no text as a whole
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

// Digests remembers the digests of the messages of requests, most of which were in
// the request before. The zero value is ready.
type Digests struct {
	mu    sync.Mutex
	known map[[2]uint64]string
}

// digestSeeds are those of the keys, while this process runs.
var digestSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// maxDigests is how many messages are remembered; with one more all are forgotten.
const maxDigests = 4096

// of is [Digest]; without a memory it remembers nothing.
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

// writeField writes a text so that two fields cannot be taken for one.
func writeField(h *bufio.Writer, text string) {
	_, _ = h.WriteString(strconv.Itoa(len(text)) + " ")
	_, _ = h.WriteString(text)
}

// maxCanonical bounds the JSON that is put in order, in bytes: what is larger
// is a file's content, which clients do not write anew.
const maxCanonical = 256 << 10

// canonical returns JSON with its keys in order, without spaces; what is none as
// it is. No arguments are an empty object.
func canonical(text string) string {
	if strings.TrimSpace(text) == "" {
		return "{}"
	}
	if len(text) > maxCanonical {
		return text
	}
	return string(ijson.Canonical([]byte(text)))
}
