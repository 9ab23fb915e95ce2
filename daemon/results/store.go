package results

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/results/shaping"
	"github.com/winnow-mcp/winnow/daemon/storage"
)

// Bounds on stored results. Older results are deleted, and reading them returns
// [ErrUnknown].
const (
	// DefaultMaxBytes bounds the size of all results on disk.
	DefaultMaxBytes = 256 << 20
	// DefaultMaxAge is how long a result is stored.
	DefaultMaxAge = 24 * time.Hour
	// maxCount bounds the number of results, so that listing them stays fast.
	maxCount = 4096
)

// ErrUnknown is returned for a handle that does not exist, belongs to another owner, or
// has expired. It does not tell which.
var ErrUnknown = errors.New("there is no such result; it may be too old, so call the tool again")

// StoreOptions configure a [Store]. The zero value is valid.
type StoreOptions struct {
	// Dir is the folder of the results; it is created with access for the user only. If
	// empty, a temporary folder is used until Close.
	Dir string
	// MaxBytes bounds the size on disk; 0 means DefaultMaxBytes.
	MaxBytes int64
	// MaxAge bounds the age of a result; 0 means DefaultMaxAge.
	MaxAge time.Duration
}

// Store stores whole results. It is safe for concurrent use, also by several processes
// with one folder.
type Store struct {
	// folder holds a blob for each result, named by owner and handle.
	folder storage.Folder
	// temporary: Close removes the folder.
	temporary bool
}

// OpenStore opens a store, with the results of earlier sessions that have not expired.
func OpenStore(o StoreOptions) (*Store, error) {
	s := &Store{folder: storage.Folder{
		Dir: o.Dir, Suffix: ".result", Format: "result 3",
		Bounds: storage.Bounds{
			MaxCount: maxCount, MaxBytes: cmp.Or(o.MaxBytes, DefaultMaxBytes), MaxAge: cmp.Or(o.MaxAge, DefaultMaxAge),
		},
	}}
	if o.Dir == "" {
		dir, err := os.MkdirTemp("", "winnow-results-")
		if err != nil {
			return nil, fmt.Errorf("results: no folder to keep them: %w", err)
		}
		s.folder.Dir, s.temporary = dir, true
	}
	if err := s.folder.Prune(); err != nil {
		return nil, fmt.Errorf("results: open the store: %w", err)
	}
	return s, nil
}

// Kept is a stored result.
type Kept struct {
	shaping.Document
	// Of are the tools whose results it combines: several for the result of a program.
	Of []Source
}

// Source is a tool of a server.
type Source struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
}

// header is the first line of a stored result, before its text.
type header struct {
	From int      `json:"from"`
	To   int      `json:"to"`
	Of   []Source `json:"of"`
}

// Owner is the owner of a result: a task of a principal.
type Owner struct {
	Principal principal.Principal
	Task      string
}

// Put stores a result for an owner, and returns its handle.
func (s *Store) Put(owner Owner, k Kept) (handle string, err error) {
	line, err := json.Marshal(header{k.From, k.To, k.Of})
	if err == nil {
		handle = "r_" + strings.ToLower(rand.Text()[:20])
		err = s.folder.Write(blobName(owner, handle), slices.Concat(line, []byte("\n"), []byte(k.Text)))
	}
	if err != nil {
		return "", fmt.Errorf("results: keep a result: %w", err)
	}
	return handle, nil
}

// handleForm matches handles returned by Put. Models invent handles; no other string
// becomes part of a path.
var handleForm = regexp.MustCompile(`^r_[a-z0-9]{20}$`)

// Get returns an owner's result. It returns [ErrUnknown] for any other handle.
func (s *Store) Get(owner Owner, handle string) (Kept, error) {
	if !handleForm.MatchString(handle) {
		return Kept{}, ErrUnknown
	}
	blob, err := s.folder.Read(blobName(owner, handle))
	line, text, found := bytes.Cut(blob, []byte("\n"))
	var h header
	if err != nil || !found || json.Unmarshal(line, &h) != nil || h.From < 0 || h.To < h.From || h.To > len(text) {
		return Kept{}, errors.Join(ErrUnknown, err)
	}
	return Kept{shaping.Document{Text: string(text), From: h.From, To: h.To}, h.Of}, nil
}

// Forget deletes all results of an owner.
func (s *Store) Forget(owner Owner) error {
	blobs, err := s.folder.List()
	errs := []error{err}
	for _, blob := range blobs {
		if strings.HasPrefix(blob.Name, blobName(owner, "")) {
			errs = append(errs, s.folder.Remove(blob.Name))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("results: forget a task: %w", err)
	}
	return nil
}

// Clear deletes all results.
func (s *Store) Clear() error {
	if err := s.folder.Clear(); err != nil {
		return fmt.Errorf("results: delete: %w", err)
	}
	return nil
}

// Close closes the store. Results in StoreOptions.Dir stay, so that a resumed task can
// read them.
func (s *Store) Close() error {
	if !s.temporary {
		return nil
	}
	if err := os.RemoveAll(s.folder.Dir); err != nil {
		return fmt.Errorf("results: close: %w", err)
	}
	return nil
}

// blobName returns the name of an owner's result. Owners' names come from hosts and
// clients, and may contain characters that are special in a path.
func blobName(owner Owner, handle string) string {
	sum := sha256.Sum256([]byte(owner.Principal.Key(owner.Task)))
	return hex.EncodeToString(sum[:16]) + "." + handle
}
