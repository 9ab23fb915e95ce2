package learned

import (
	"crypto/rand"
	"errors"
	"slices"
	"sync"

	"github.com/winnow-mcp/winnow/ranker"
	"github.com/winnow-mcp/winnow/router"
)

// Misses remembers which tools models had to fetch by themselves, and for
// which messages, so that such a message brings them the next time.
//
// It keeps the tool's server and name, and of the message only prints of its
// words: short hashes under a random key of the file's own. Neither the
// message nor an argument is in it. It holds the latest [ranker.MaxMisses]
// misses, stays on this machine, and is emptied by learned/clear.
type Misses struct {
	file file

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

// missFile is the file of a [Misses].
type missFile struct {
	Key    string `json:"key"`
	Misses []miss `json:"misses"`
}

// OpenMisses reads the log of a workspace. One that cannot be read is begun
// anew, and the error says so.
func OpenMisses(storage string) (*Misses, error) {
	m := &Misses{file: newFile(storage, "loads", "log of loaded tools", 1)}
	m.begin(missFile{})
	var f missFile
	found, err := m.file.read(&f)
	if err != nil || !found {
		return m, err
	}
	if f.Key == "" {
		return m, m.file.unreadable(errors.New("it has no key"))
	}
	m.begin(f)
	return m, nil
}

// begin takes over what a file says. The caller holds mu, or is alone.
func (m *Misses) begin(f missFile) {
	m.key, m.misses = f.Key, f.Misses
	if m.key == "" {
		m.key = rand.Text()
	}
	m.remake()
}

// remake makes the memory anew, because views hold the one before. The caller
// holds mu, or is alone.
func (m *Misses) remake() {
	m.misses = m.misses[max(0, len(m.misses)-ranker.MaxMisses):]
	list := make([]ranker.Miss, len(m.misses))
	for i := range m.misses {
		one := &m.misses[i]
		list[i] = router.Miss(router.ToolID{Server: one.Server, Tool: one.Tool}, one.Words)
	}
	m.memory = ranker.NewMemory(m.key, list)
}

// Record notes that a message should have brought these tools. One that is
// known becomes the latest.
func (m *Misses) Record(message string, ids []router.ToolID) {
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

// Recall returns what is remembered.
func (m *Misses) Recall() *ranker.Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.memory
}

// Clear forgets everything, the file and its key too.
func (m *Misses) Clear() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.begin(missFile{})
	m.dirty = false
	return m.file.remove()
}

// Save writes the log if it has changed. It holds mu to the end, so that what
// is cleared meanwhile does not come back.
func (m *Misses) Save() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.dirty {
		return nil
	}
	if err := m.file.write(missFile{m.key, m.misses}); err != nil {
		return err
	}
	m.dirty = false
	return nil
}
