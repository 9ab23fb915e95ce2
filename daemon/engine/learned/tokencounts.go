package learned

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"log/slog"
	"sync"

	"github.com/winnow-mcp/winnow/router/tokens"
)

// TokenCounts counts tokens and caches the counts between runs. Counting a thousand tools
// takes about fifty milliseconds, and loads a vocabulary of 13 MB that cannot be
// released. A start that meets only known tools needs neither.
type TokenCounts struct {
	file    file // without a folder they stay in memory
	log     *slog.Logger
	counter func() *tokens.Counter

	// saving is held by save and by clear, so that save does not restore what clear
	// deletes.
	saving sync.Mutex

	// mu guards the following fields. It is not held while counting or writing.
	mu    sync.Mutex
	known map[textKey]knownCount
	dirty bool
}

// textKey identifies a text: the first bytes of its SHA-256.
type textKey [16]byte

type knownCount struct {
	tokens uint32
	// used reports that the text occurred in this run.
	used bool
}

const (
	// tokenCountsRecord is the size of a record: a key and a big-endian count.
	tokenCountsRecord = len(textKey{}) + 4
	// maxTokenCounts bounds the stored counts of texts that this run has not met, such as
	// those of other branches, other modes or disabled servers.
	maxTokenCounts = 20_000
)

// OpenTokenCounts reads the counts of earlier runs. An unusable file counts as empty,
// because everything in it can be counted again.
func OpenTokenCounts(storage string, log *slog.Logger) *TokenCounts {
	c := &TokenCounts{
		file: newFile(storage, "tokens", "o200k token counts", 1), log: log,
		counter: sync.OnceValue(tokens.New), known: map[textKey]knownCount{},
	}
	records, err := c.file.folder.Read(c.file.name)
	if err == nil {
		err = c.decode(records)
	}
	if err != nil {
		log.Warn("tokens are counted anew", "error", c.file.unreadable(err))
	}
	return c
}

func (c *TokenCounts) decode(records []byte) error {
	if len(records)%tokenCountsRecord != 0 {
		return errors.New("a record is cut off")
	}
	for ; len(records) > 0; records = records[tokenCountsRecord:] {
		var key textKey
		n := copy(key[:], records)
		c.known[key] = knownCount{tokens: binary.BigEndian.Uint32(records[n:])}
	}
	return nil
}

// Count returns the o200k tokens of a text.
func (c *TokenCounts) Count(text string) int {
	sum := sha256.Sum256([]byte(text))
	key := textKey(sum[:len(textKey{})])
	if n, ok := c.recall(key); ok {
		return n
	}
	n := c.counter().Count(text)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known[key] = knownCount{uint32(n), true}
	c.dirty = true
	return n
}

// CountOnce is Count for a user's text; it stores nothing.
func (c *TokenCounts) CountOnce(text string) int { return c.counter().Count(text) }

func (c *TokenCounts) recall(key textKey) (int, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k, ok := c.known[key]
	if ok && !k.used {
		c.known[key] = knownCount{k.tokens, true}
	}
	return int(k.tokens), ok
}

// Save writes the counts if there are new ones.
func (c *TokenCounts) Save() error {
	c.saving.Lock()
	defer c.saving.Unlock()
	data := c.encode()
	if data == nil {
		return nil
	}
	err := c.file.writeBytes(data)
	if err != nil {
		c.mu.Lock()
		c.dirty = true // it is retried
		c.mu.Unlock()
	}
	return err
}

// Clear deletes the counts and the file.
func (c *TokenCounts) Clear() error {
	c.saving.Lock()
	defer c.saving.Unlock()
	c.mu.Lock()
	c.known, c.dirty = map[textKey]knownCount{}, false
	c.mu.Unlock()
	return c.file.remove()
}

// encode returns what is to be written, or nil if the file is up to date.
func (c *TokenCounts) encode() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file.folder.Dir == "" || !c.dirty {
		return nil
	}
	c.dirty = false
	data := make([]byte, 0, len(c.known)*tokenCountsRecord)
	forget := len(c.known) > maxTokenCounts
	for key, k := range c.known {
		if k.used || !forget {
			data = append(data, key[:]...)
			data = binary.BigEndian.AppendUint32(data, k.tokens)
		}
	}
	return data
}
