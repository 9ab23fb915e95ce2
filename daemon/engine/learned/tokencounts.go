package learned

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/atomicfile"
	"github.com/winnow-mcp/winnow/router/tokens"
)

// TokenCounts counts tokens and remembers the counts between runs. Counting a
// thousand tools takes the tokenizer some fifty milliseconds, and its
// vocabulary 13 MB that cannot be given back; a start that meets only tools
// that it knows needs neither.
type TokenCounts struct {
	path    string // empty keeps them in memory
	log     *slog.Logger
	counter func() (*tokens.Counter, error)

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
	// tokenCountsHeader names the vocabulary and the form of the file. What
	// follows are records of a key and a big-endian count.
	tokenCountsHeader = "winnow tokens o200k 1\n"
	tokenCountsRecord = len(textKey{}) + 4
	// maxTokenCounts bounds what is kept of texts that this run has not met:
	// other branches, other modes, servers that are off today.
	maxTokenCounts = 20_000
)

// OpenTokenCounts reads what earlier runs counted. A file that cannot be used
// counts as none: everything in it can be counted again.
func OpenTokenCounts(storage string, log *slog.Logger) *TokenCounts {
	c := &TokenCounts{log: log, counter: sync.OnceValues(tokens.New), known: map[textKey]knownCount{}}
	if storage == "" {
		return c
	}
	c.path = filepath.Join(storage, "tokens.bin")
	data, err := os.ReadFile(c.path)
	if err == nil {
		err = c.decode(data)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Warn("token counts are counted anew", "file", c.path, "error", err)
	}
	return c
}

func (c *TokenCounts) decode(data []byte) error {
	records, ok := bytes.CutPrefix(data, []byte(tokenCountsHeader))
	if !ok || len(records)%tokenCountsRecord != 0 {
		return errors.New("it is damaged or of another version")
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
	counter, err := c.counter()
	if err != nil {
		// Four bytes a token is o200k's average on JSON.
		c.log.Error("tokens are estimated", "error", err)
		return (len(text) + 3) / 4
	}
	n := counter.Count(text)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known[key] = knownCount{uint32(n), true}
	c.dirty = true
	return n
}

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
	err := os.MkdirAll(filepath.Dir(c.path), 0o700)
	if err == nil {
		err = atomicfile.Write(c.path, data, 0o600)
	}
	if err != nil {
		c.mu.Lock()
		c.dirty = true // it is tried again
		c.mu.Unlock()
		return fmt.Errorf("save the token counts: %w", err)
	}
	return nil
}

// Clear forgets the counts and deletes the file.
func (c *TokenCounts) Clear() error {
	c.saving.Lock()
	defer c.saving.Unlock()
	c.mu.Lock()
	c.known, c.dirty = map[textKey]knownCount{}, false
	c.mu.Unlock()
	return file{path: c.path, what: "token counts"}.remove()
}

// encode returns what is to be written; nil when the file says it already.
func (c *TokenCounts) encode() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.path == "" || !c.dirty {
		return nil
	}
	c.dirty = false
	data := make([]byte, 0, len(tokenCountsHeader)+len(c.known)*tokenCountsRecord)
	data = append(data, tokenCountsHeader...)
	forget := len(c.known) > maxTokenCounts
	for key, k := range c.known {
		if k.used || !forget {
			data = append(data, key[:]...)
			data = binary.BigEndian.AppendUint32(data, k.tokens)
		}
	}
	return data
}
