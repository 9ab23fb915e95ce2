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
	fresh  []miss // not in the file yet
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
		m.misses, m.fresh = one.last(m.misses), one.last(m.fresh)
	}
	m.remake()
}

// last returns a list in which the miss is the latest.
func (m miss) last(list []miss) []miss {
	return append(slices.DeleteFunc(slices.Clone(list), m.same), m)
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
	m.fresh = nil
	return m.file.remove()
}

// Save adds what is new to the log as it is now: another window of the
// workspace may have written to it, or cleared it. It holds mu to the end, so
// that what is cleared meanwhile does not come back.
func (m *Misses) Save() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.fresh) == 0 || !m.file.keeps() {
		m.fresh = nil
		return nil
	}
	f := missFile{Key: m.key}
	switch found, err := m.file.read(&f); {
	case err != nil || found && f.Key == "": // it is of no use, and replaced
		f = missFile{m.key, m.misses}
	case f.Key != m.key:
		// Another window began the log first; prints under two keys have nothing in common.
		m.fresh = nil
	}
	for _, one := range m.fresh {
		f.Misses = one.last(f.Misses)
	}
	m.begin(f)
	if err := m.file.write(missFile{m.key, m.misses}); err != nil {
		return err
	}
	m.fresh = nil
	return nil
}
