package learned

import "sync"

// Told records what the user has been shown once, by name.
type Told struct {
	file file

	mu    sync.Mutex
	known map[string]bool
}

// OpenTold reads the record. If the file is unreadable, it starts empty and the error
// says so.
func OpenTold(storage string) (*Told, error) {
	t := &Told{file: newFile(storage, "told", "list of what was said once", 1), known: map[string]bool{}}
	if _, err := t.file.read(&t.known); err != nil {
		t.known = map[string]bool{}
		return t, err
	}
	return t, nil
}

// Once reports whether the user has not been shown something yet, and records it as
// shown. If that cannot be stored, it applies to this session.
func (t *Told) Once(what string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known[what] {
		return false
	}
	t.known[what] = true
	if t.file.keeps() {
		_ = t.file.write(t.known)
	}
	return true
}

// Clear deletes the record.
func (t *Told) Clear() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.known)
	return t.file.remove()
}
