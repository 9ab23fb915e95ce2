package learned

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"log/slog"
	"sync"

	"github.com/winnow-mcp/winnow/router/tokens"
)

// TokenCounts counts tokens and remembers the counts between runs. Counting a
// thousand tools takes the tokenizer some fifty milliseconds, and its
// vocabulary 13 MB that cannot be given back; a start that meets only tools
// that it knows needs neither.
type TokenCounts struct {
	file    file // without a folder they stay in memory
	log     *slog.Logger
	counter func() *tokens.Counter

	// saving is held by save, which would bring back what clear deletes, and by
	// clear.
	saving sync.Mutex

	// mu guards what follows. It is not held while counting or writing.
	mu    sync.Mutex
	known map[textKey]knownCount
	dirty bool
}

// textKey stands for a text: the beginning of its SHA-256.
type textKey [16]byte

type knownCount struct {
	tokens uint32
	// used: the text was met in this run.
	used bool
}

const (
	// tokenCountsRecord is the length of a record: a key and a big-endian count.
	tokenCountsRecord = len(textKey{}) + 4
	// maxTokenCounts bounds what is kept of texts that this run has not met:
	// other branches, other modes, servers that are off today.
	maxTokenCounts = 20_000
)

// OpenTokenCounts reads what earlier runs counted. A file that cannot be used
// counts as none: everything in it can be counted again.
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

// CountOnce is Count of a text of the user's, of which nothing is kept.
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
		c.dirty = true // it is tried again
		c.mu.Unlock()
	}
	return err
}

// Clear forgets the counts and deletes the file.
func (c *TokenCounts) Clear() error {
	c.saving.Lock()
	defer c.saving.Unlock()
	c.mu.Lock()
	c.known, c.dirty = map[textKey]knownCount{}, false
	c.mu.Unlock()
	return c.file.remove()
}

// encode returns what is to be written; nil when the file says it already.
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
