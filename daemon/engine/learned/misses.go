package learned

import (
	"crypto/rand"
	"errors"
	"slices"
	"sync"

	"github.com/winnow-mcp/winnow/ranker"
	"github.com/winnow-mcp/winnow/router"
)

// Misses records which tools models had to fetch themselves and for which messages, so
// that a similar message brings them the next time.
//
// It stores the tool's server and name. Of the message it stores only short hashes of its
// words under the file's own random key, and of the arguments nothing. It holds the
// latest [ranker.MaxMisses] misses on this machine only. learned/clear deletes it.
type Misses struct {
	file file

	// mu guards the following fields.
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

// missFile is the content of the file of a [Misses].
type missFile struct {
	Key    string `json:"key"`
	Misses []miss `json:"misses"`
}

// OpenMisses reads the log of a workspace. If it is unreadable, it starts empty and the
// error says so.
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

// begin applies the content of a file. Callers must hold mu or be the only user.
func (m *Misses) begin(f missFile) {
	m.key, m.misses = f.Key, f.Misses
	if m.key == "" {
		m.key = rand.Text()
	}
	m.remake()
}

// remake builds a new memory, because views share the current one. Callers must hold mu
// or be the only user.
func (m *Misses) remake() {
	m.misses = m.misses[max(0, len(m.misses)-ranker.MaxMisses):]
	list := make([]ranker.Miss, len(m.misses))
	for i := range m.misses {
		one := &m.misses[i]
		list[i] = router.Miss(router.ToolID{Server: one.Server, Tool: one.Tool}, one.Words)
	}
	m.memory = ranker.NewMemory(m.key, list)
}

// Record records that a message should have brought these tools. A known miss becomes the
// latest.
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

// last returns a copy of a list with the miss as the latest.
func (m miss) last(list []miss) []miss {
	return append(slices.DeleteFunc(slices.Clone(list), m.same), m)
}

// same reports whether two misses are equal.
func (m miss) same(other miss) bool {
	return m.Server == other.Server && m.Tool == other.Tool && slices.Equal(m.Words, other.Words)
}

// Recall returns the current memory.
func (m *Misses) Recall() *ranker.Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.memory
}

// Clear deletes everything, including the file and its key.
func (m *Misses) Clear() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.begin(missFile{})
	m.fresh = nil
	return m.file.remove()
}

// Save adds the new misses to the current file, which another window of the workspace may
// have changed or cleared. It holds mu throughout, so that a concurrent Clear is not
// undone.
func (m *Misses) Save() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.fresh) == 0 || !m.file.keeps() {
		m.fresh = nil
		return nil
	}
	f := missFile{Key: m.key}
	switch found, err := m.file.read(&f); {
	case err != nil || found && f.Key == "": // it is unusable and replaced
		f = missFile{m.key, m.misses}
	case f.Key != m.key:
		// Another window created the log first; hashes under two keys cannot be compared.
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
