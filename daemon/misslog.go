package daemon

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/google/renameio/v2/maybe"

	"github.com/winnow-mcp/winnow/ranker"
	"github.com/winnow-mcp/winnow/router"
)

// missLog remembers which tools models had to fetch by themselves, and for
// which messages, so that such a message brings them the next time.
//
// It keeps the tool's server and name, and of the message only prints of its
// words: short hashes under a random key of the file's own. Neither the
// message nor an argument is in it. It holds the latest [ranker.MaxMisses]
// misses, stays on this machine, and is emptied by learned/clear.
type missLog struct {
	path string // empty keeps it in memory

	// mu guards what follows.
	mu     sync.Mutex
	key    string
	misses []miss // oldest first
	memory *ranker.Memory
	dirty  bool
}

// miss is a tool that was fetched for a message with these words.
type miss struct {
	Server string   `json:"server"`
	Tool   string   `json:"tool"`
	Words  []uint32 `json:"words"`
}

// missFile is the file of a [missLog].
type missFile struct {
	Key    string `json:"key"`
	Misses []miss `json:"misses"`
}

// openMissLog reads the log of a workspace. One that cannot be read is begun
// anew, and the error says so.
func openMissLog(storage string) (*missLog, error) {
	m := &missLog{}
	m.begin(missFile{})
	if storage == "" {
		return m, nil
	}
	m.path = filepath.Join(storage, "loads.json")
	data, err := os.ReadFile(m.path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	var f missFile
	if err == nil {
		err = json.Unmarshal(data, &f)
	}
	if err == nil && f.Key == "" {
		err = errors.New("it has no key")
	}
	if err != nil {
		return m, fmt.Errorf("read the log of loaded tools %s, which is begun anew: %w", m.path, err)
	}
	m.begin(f)
	return m, nil
}

// begin takes over what a file says. The caller holds mu, or is alone.
func (m *missLog) begin(f missFile) {
	m.key, m.misses = f.Key, f.Misses
	if m.key == "" {
		m.key = rand.Text()
	}
	m.remake()
}

// remake makes the memory anew, because views hold the one before. The caller
// holds mu, or is alone.
func (m *missLog) remake() {
	m.misses = m.misses[max(0, len(m.misses)-ranker.MaxMisses):]
	list := make([]ranker.Miss, len(m.misses))
	for i := range m.misses {
		one := &m.misses[i]
		list[i] = router.Miss(router.ToolID{Server: one.Server, Tool: one.Tool}, one.Words)
	}
	m.memory = ranker.NewMemory(m.key, list)
}

// record notes that a message should have brought these tools. One that is
// known becomes the latest.
func (m *missLog) record(message string, ids []router.ToolID) {
	if len(ids) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	words := ranker.Prints(m.key, message)
	if len(words) == 0 {
		return
	}
	for _, id := range ids {
		one := miss{id.Server, id.Tool, words}
		m.misses = slices.DeleteFunc(slices.Clone(m.misses), one.same)
		m.misses = append(m.misses, one)
	}
	m.dirty = true
	m.remake()
}

// same reports whether two misses say the same.
func (m miss) same(other miss) bool {
	return m.Server == other.Server && m.Tool == other.Tool && slices.Equal(m.Words, other.Words)
}

// recall returns what is remembered.
func (m *missLog) recall() *ranker.Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.memory
}

// clear forgets everything, the file and its key too.
func (m *missLog) clear() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.begin(missFile{})
	m.dirty = false
	return removeLearned(m.path)
}

// save writes the log if it has changed. It holds mu to the end, so that what
// is cleared meanwhile does not come back.
func (m *missLog) save() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.path == "" || !m.dirty {
		return nil
	}
	data, err := json.Marshal(missFile{m.key, m.misses})
	if err != nil {
		return fmt.Errorf("save the log of loaded tools: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(m.path), 0o700); err != nil {
		return fmt.Errorf("save the log of loaded tools: %w", err)
	}
	if err := maybe.WriteFile(m.path, data, 0o600); err != nil {
		return fmt.Errorf("save the log of loaded tools: %w", err)
	}
	m.dirty = false
	return nil
}
