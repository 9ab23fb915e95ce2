package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/atomicfile"
)

// Consent is the user's answer about one file of another client.
type Consent string

// The values of [Consent].
const (
	// Unasked: there is no answer yet.
	Unasked Consent = ""
	// Allowed: servers of the file may start.
	Allowed Consent = "allowed"
	// Denied: they may not.
	Denied Consent = "denied"
)

// Consents remembers the user's answers, one per file. It is safe for
// concurrent use.
type Consents struct {
	// path is the file that keeps the answers; empty keeps them in memory.
	path string
	// writing is held while the file is read and written, so that one answer
	// does not undo another.
	writing sync.Mutex

	mu sync.RWMutex
	// answers is by key(path). Guarded by mu, which is never held across I/O.
	answers map[string]Consent
}

// consentFile is the form on disk. Paths are hashed: a folder that storage is
// shared from need not tell what projects there are.
type consentFile struct {
	Version int                `json:"version"`
	Files   map[string]Consent `json:"files"`
}

// OpenConsents reads the answers kept in a folder, which need not exist yet. An
// empty folder keeps them in memory. A file that cannot be read is an error,
// and the answers count as not given.
func OpenConsents(dir string) (*Consents, error) {
	c := &Consents{answers: map[string]Consent{}}
	if dir == "" {
		return c, nil
	}
	c.path = filepath.Join(dir, "consents.json")
	answers, err := readConsents(c.path)
	if err == nil {
		c.answers = answers
	}
	return c, err
}

func readConsents(path string) (map[string]Consent, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]Consent{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read consents: %w", err)
	}
	var file consentFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("read consents in %s: %w", path, err)
	}
	if file.Version != 1 || file.Files == nil {
		return nil, fmt.Errorf("read consents in %s: unknown version %d", path, file.Version)
	}
	return file.Files, nil
}

// Get returns the answer for a file.
func (c *Consents) Get(path string) Consent {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.answers[consentKey(path)]
}

// Set remembers an answer. It counts at once, also when it cannot be written.
func (c *Consents) Set(path string, allow bool) error {
	answer := Denied
	if allow {
		answer = Allowed
	}
	c.remember(map[string]Consent{consentKey(path): answer})
	if c.path == "" {
		return nil
	}
	if err := c.save(consentKey(path), answer); err != nil {
		return fmt.Errorf("remember the answer for %s: %w", path, err)
	}
	return nil
}

func (c *Consents) remember(answers map[string]Consent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, answer := range answers {
		c.answers[key] = answer
	}
}

// save adds an answer to the file as it is now: another window's daemon may
// have written to it. A file that cannot be read is replaced.
func (c *Consents) save(key string, answer Consent) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	answers, err := readConsents(c.path)
	if err != nil {
		answers = map[string]Consent{}
	}
	answers[key] = answer
	c.remember(answers)
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(consentFile{Version: 1, Files: answers}); err != nil {
		return fmt.Errorf("encode consents: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(c.path), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(c.path, data.Bytes(), 0o600)
}

// consentKey identifies a file.
func consentKey(path string) string {
	sum := sha256.Sum256([]byte(filepath.Clean(path)))
	return hex.EncodeToString(sum[:])
}
