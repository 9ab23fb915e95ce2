package results

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Bounds on what is kept. A result that is older, or has to make room, is
// gone, and its handle says so.
const (
	// DefaultMaxBytes is the most that all results of a store take on disk.
	DefaultMaxBytes = 256 << 20
	// DefaultMaxAge is how long a result is kept.
	DefaultMaxAge = 24 * time.Hour
)

// handlePrefix begins every handle, and every file.
const handlePrefix = "r_"

// ErrUnknown is returned for a handle that does not exist, belongs to another
// owner, or is too old. Which of them it is is not said.
var ErrUnknown = errors.New("there is no such result; it may be too old, so call the tool again")

// StoreOptions configure a [Store]. The zero value works.
type StoreOptions struct {
	// Dir is where results are kept; it is created with access for the user
	// only. "" keeps them in a temporary folder until Close.
	Dir string
	// MaxBytes is DefaultMaxBytes when 0.
	MaxBytes int64
	// MaxAge is DefaultMaxAge when 0.
	MaxAge time.Duration
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Store keeps whole results. It is safe for concurrent use.
type Store struct {
	options StoreOptions
	// temporary: the folder is removed by Close.
	temporary bool

	// mu guards entries and size. Files are written and read outside of it.
	mu      sync.Mutex
	entries map[string]entry // by handle
	size    int64
}

// entry is a kept result. Only what is in the index is ever opened, so no
// handle leads out of the folder.
type entry struct {
	owner string // as it is in the path
	size  int64
	born  time.Time
}

// OpenStore opens a store, with the results of earlier sessions that are not
// too old.
func OpenStore(o StoreOptions) (*Store, error) {
	o.MaxBytes, o.MaxAge = cmp.Or(o.MaxBytes, DefaultMaxBytes), cmp.Or(o.MaxAge, DefaultMaxAge)
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Store{options: o, entries: map[string]entry{}}
	if o.Dir == "" {
		dir, err := os.MkdirTemp("", "winnow-results-")
		if err != nil {
			return nil, fmt.Errorf("results: no folder to keep them: %w", err)
		}
		s.options.Dir, s.temporary = dir, true
		return s, nil
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("results: no folder to keep them: %w", err)
	}
	if err := s.load(); err != nil {
		return nil, err
	}
	return s, s.sweep("")
}

// load fills the index from the folder.
func (s *Store) load() error {
	return filepath.WalkDir(s.options.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !strings.HasPrefix(d.Name(), handlePrefix) {
			return nil // what is not ours, or gone already
		}
		if info, err := d.Info(); err == nil {
			s.entries[d.Name()] = entry{filepath.Base(filepath.Dir(path)), info.Size(), info.ModTime()}
			s.size += info.Size()
		}
		return nil
	})
}

// Put keeps a document for an owner, and returns its handle.
func (s *Store) Put(owner, document string) (handle string, err error) {
	handle = handlePrefix + strings.ToLower(rand.Text()[:20])
	e := entry{ownerName(owner), int64(len(document)), s.options.Now()}
	if err := os.MkdirAll(filepath.Join(s.options.Dir, e.owner), 0o700); err != nil {
		return "", fmt.Errorf("results: keep a result: %w", err)
	}
	path := s.path(handle, e)
	if err := os.WriteFile(path, []byte(document), 0o600); err != nil {
		return "", errors.Join(fmt.Errorf("results: keep a result: %w", err), remove(path))
	}
	s.mu.Lock()
	s.entries[handle] = e
	s.size += e.size
	s.mu.Unlock()
	return handle, s.sweep(handle)
}

// Get returns the document that an owner has under a handle.
func (s *Store) Get(owner, handle string) (string, error) {
	s.mu.Lock()
	e, ok := s.entries[handle]
	s.mu.Unlock()
	if !ok || e.owner != ownerName(owner) || s.expired(e) {
		return "", ErrUnknown
	}
	document, err := os.ReadFile(s.path(handle, e))
	if err != nil {
		return "", errors.Join(ErrUnknown, err)
	}
	return string(document), nil
}

// Forget deletes all that is kept for an owner.
func (s *Store) Forget(owner string) error {
	name := ownerName(owner)
	s.mu.Lock()
	for handle, e := range s.entries {
		if e.owner == name {
			s.drop(handle, e)
		}
	}
	s.mu.Unlock()
	if err := os.RemoveAll(filepath.Join(s.options.Dir, name)); err != nil {
		return fmt.Errorf("results: forget a task: %w", err)
	}
	return nil
}

// Clear deletes all that is kept, for every owner.
func (s *Store) Clear() error {
	s.mu.Lock()
	var paths []string
	for handle, e := range s.entries {
		paths = append(paths, s.path(handle, e))
		s.drop(handle, e)
	}
	s.mu.Unlock()
	var errs []error
	for _, path := range paths {
		errs = append(errs, remove(path))
	}
	return errors.Join(errs...)
}

// Close ends the store. Results in a folder of the caller's stay, so that a
// resumed task can read them.
func (s *Store) Close() error {
	if !s.temporary {
		return nil
	}
	if err := os.RemoveAll(s.options.Dir); err != nil {
		return fmt.Errorf("results: close: %w", err)
	}
	return nil
}

// sweep deletes what is too old, and the oldest of what is too much, but never
// the result under keep, however large.
func (s *Store) sweep(keep string) error {
	var errs []error
	for _, path := range s.surplus(keep) {
		errs = append(errs, remove(path))
	}
	return errors.Join(errs...)
}

// surplus takes out of the index what has to go, and returns the files.
func (s *Store) surplus(keep string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	handles := make([]string, 0, len(s.entries))
	for handle := range s.entries {
		handles = append(handles, handle)
	}
	slices.SortFunc(handles, func(a, b string) int {
		return cmp.Or(s.entries[a].born.Compare(s.entries[b].born), strings.Compare(a, b))
	})
	var paths []string
	for _, handle := range handles {
		e := s.entries[handle]
		if handle == keep {
			continue
		}
		if !s.expired(e) && s.size <= s.options.MaxBytes {
			break
		}
		paths = append(paths, s.path(handle, e))
		s.drop(handle, e)
	}
	return paths
}

// drop takes an entry out of the index. The caller holds mu.
func (s *Store) drop(handle string, e entry) {
	delete(s.entries, handle)
	s.size -= e.size
}

func (s *Store) expired(e entry) bool { return s.options.Now().Sub(e.born) > s.options.MaxAge }

func (s *Store) path(handle string, e entry) string {
	return filepath.Join(s.options.Dir, e.owner, handle)
}

// ownerName is the folder of an owner. Owners come from hosts, and may hold
// anything that a path gives a meaning to.
func ownerName(owner string) string {
	sum := sha256.Sum256([]byte(owner))
	return hex.EncodeToString(sum[:16])
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("results: delete: %w", err)
	}
	return nil
}
