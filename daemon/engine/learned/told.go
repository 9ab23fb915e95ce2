package learned

import "sync"

// Told remembers what the user was shown once, by a name for each.
type Told struct {
	file file

	mu    sync.Mutex
	known map[string]bool
}

// OpenTold reads what was shown before. A file that cannot be read is begun anew, and
// the error says so.
func OpenTold(storage string) (*Told, error) {
	t := &Told{file: newFile(storage, "told", "list of what was said once", 1), known: map[string]bool{}}
	if _, err := t.file.read(&t.known); err != nil {
		t.known = map[string]bool{}
		return t, err
	}
	return t, nil
}

// Once reports whether the user has not been shown something yet, and notes that
// the user is now. Where that cannot be kept, it holds for this session.
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

// Clear forgets all of it.
func (t *Told) Clear() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.known)
	return t.file.remove()
}
