package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/atomicfile"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// Consent is the user's answer about what starts for one entry.
type Consent string

// The values of [Consent].
const (
	// Unasked: there is no answer yet.
	Unasked Consent = ""
	// Allowed: it may start.
	Allowed Consent = "allowed"
	// Changed: other content was allowed under this name in this file.
	Changed Consent = "changed"
	// Denied: it may not start, whatever its content.
	Denied Consent = "denied"
)

// maxHashes is how many starts of one server stay allowed, the latest. So a path that
// differs between a terminal and an editor, or a switched branch, causes one question
// each.
const maxHashes = 8

// Consents stores the user's answers: what each server of a file may start. It is safe
// for concurrent use.
type Consents struct {
	// path is the file of the answers; "" keeps them in memory.
	path string
	// writing is held while an answer is applied and the file is read and written, so
	// that answers do not overwrite each other.
	writing sync.Mutex
	// unsaved holds the changes that could not be written. Guarded by writing.
	unsaved []func(f *consentFile)

	// read is the file's stamp when last read or written. Guarded by writing.
	read stamp

	mu sync.RWMutex
	// kept holds the answers. Guarded by mu, which is never held during I/O.
	kept consentFile
}

// consentVersion is the version of the file. Version 1 had one answer per file, whatever
// its later content. Its consents no longer count; its denials do.
const consentVersion = 2

// consentFile is the format of the file.
type consentFile struct {
	Version int `json:"version"`
	// Servers is keyed by serverKey.
	Servers map[string]answer `json:"servers"`
	// Files holds, by fileKey, the files whose servers may not start, and those that
	// version 1 allowed.
	Files map[string]Consent `json:"files"`
	// Folders holds, by fileKey, the workspace folders whose own files were accepted when
	// they were first trusted.
	Folders map[string]bool `json:"folders"`
	// Lost reports that a file with earlier answers could not be read. It is unknown
	// which folders were settled, so none is accepted unasked any more.
	Lost bool `json:"lost,omitempty"`
}

// answer is the user's answer about one server of a file.
type answer struct {
	Answer Consent `json:"answer"`
	// Hashes holds those of the allowed starts, latest last; Parts are those of the
	// latest.
	Hashes []string `json:"hashes,omitempty"`
	Parts  []Part   `json:"parts,omitempty"`
	// Rules holds the hashes of the allowed rules, latest last; RuleParts are those of
	// the latest. Refused is the hash of refused rules.
	Rules     []string `json:"rules,omitempty"`
	RuleParts []Part   `json:"ruleParts,omitempty"`
	Refused   string   `json:"refused,omitempty"`
	// Redirects holds the addresses to which the server may redirect.
	Redirects []Redirect `json:"redirects,omitempty"`
	// Server, File and Project identify the entry; they are empty in answers of earlier
	// versions. Since is when the last consent was given, in Unix milliseconds.
	Server  string `json:"server,omitempty"`
	File    string `json:"file,omitempty"`
	Project string `json:"project,omitempty"`
	Since   int64  `json:"since,omitempty"`
}

// Redirect is an allowed redirect of a server to another origin.
type Redirect struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Since int64  `json:"since"`
}

// about returns a with the identity of its entry.
func (a answer) about(e Entry) answer {
	a.Server, a.File, a.Project = e.Name, e.Origin.Source.Path, e.Origin.Source.Project
	return a
}

func newConsentFile() consentFile {
	return consentFile{
		Version: consentVersion, Servers: map[string]answer{}, Files: map[string]Consent{}, Folders: map[string]bool{},
	}
}

// OpenConsents reads the answers in a folder, which need not exist yet. If dir is "",
// they are kept in memory. If the file cannot be read, it returns an error and no answers
// count as given.
func OpenConsents(dir string) (*Consents, error) {
	c := &Consents{kept: newConsentFile()}
	if dir == "" {
		return c, nil
	}
	c.path = filepath.Join(dir, consentsName)
	c.read = stampOf(c.path)
	kept, err := readConsents(c.path)
	if err != nil {
		kept = newConsentFile()
		kept.Lost = true
	}
	c.kept = kept
	return c, err
}

const consentsName = "consents.json"

// TakeOver adds the answers of an earlier version's folder, where there are none yet, and
// deletes that file. A denial of a server overrides a consent that an earlier version
// stored for another folder. first reports that answers were taken over and this version
// had none yet.
func (c *Consents) TakeOver(dir string) (first bool, err error) {
	path := filepath.Join(dir, consentsName)
	if dir == "" || path == c.path || !stampOf(path).exists {
		return false, nil
	}
	earlier, err := readConsents(path)
	if err != nil {
		return false, err
	}
	first = !stampOf(c.path).exists
	err = c.change(func(f *consentFile) {
		for key, was := range earlier.Servers {
			now := f.Servers[key]
			if now.Answer == Unasked || was.Answer == Denied && now.Since == 0 {
				was.Redirects = append(was.Redirects, now.Redirects...)
				f.Servers[key] = was
			}
		}
		f.Files, f.Folders = union(f.Files, earlier.Files), union(f.Folders, earlier.Folders)
	})
	if err == nil {
		err = os.Remove(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // another process was faster
	}
	return first, err
}

// Path returns the file of the answers, which other processes change too, or "" if they
// are kept in memory.
func (c *Consents) Path() string { return c.path }

// Refresh reads the file again if it has changed. An unreadable file changes nothing.
func (c *Consents) Refresh() {
	c.writing.Lock()
	defer c.writing.Unlock()
	now := stampOf(c.path)
	if c.path == "" || now == c.read {
		return
	}
	c.read = now
	kept, err := readConsents(c.path)
	if err != nil {
		return
	}
	for _, apply := range c.unsaved {
		apply(&kept)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept = kept
}

func readConsents(path string) (consentFile, error) {
	file := newConsentFile()
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return file, nil
	}
	if err != nil {
		return file, fmt.Errorf("read consents: %w", err)
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return file, fmt.Errorf("read consents in %s: %w", path, ijson.Words(err))
	}
	switch file.Version {
	case consentVersion:
	case 1: // see consentVersion
		file.Version = consentVersion
	default:
		return file, fmt.Errorf("read consents in %s: unknown version %d", path, file.Version)
	}
	// A null in the file counts as absent.
	empty := newConsentFile()
	if file.Servers == nil {
		file.Servers = empty.Servers
	}
	if file.Files == nil {
		file.Files = empty.Files
	}
	if file.Folders == nil {
		file.Folders = empty.Folders
	}
	return file, nil
}

// Get returns the answer about what starts for an entry.
func (c *Consents) Get(e Entry, start Start) Consent {
	c.mu.RLock()
	defer c.mu.RUnlock()
	a := c.kept.Servers[serverKey(e)]
	switch {
	case a.Answer == Allowed && (slices.Contains(a.Hashes, start.Hash) || start.Earlier != "" && slices.Contains(a.Hashes, start.Earlier)):
		return Allowed
	case a.Answer == Denied, a.Answer == Unasked && c.kept.Files[fileKey(e.Origin.Source.Path)] == Denied:
		return Denied
	case a.Answer == Allowed:
		return Changed
	}
	return Unasked
}

// Rules returns the answer about the rules of an entry.
func (c *Consents) Rules(e Entry) Consent {
	rules := RulesOf(e)
	c.mu.RLock()
	defer c.mu.RUnlock()
	a := c.kept.Servers[serverKey(e)]
	switch {
	case rules.Hash == "", a.Answer == Allowed && slices.Contains(a.Rules, rules.Hash):
		return Allowed
	case a.Answer == Denied, a.Refused == rules.Hash, a.Answer == Unasked && c.kept.Files[fileKey(e.Origin.Source.Path)] == Denied:
		return Denied
	case len(a.Rules) > 0:
		return Changed
	}
	return Unasked
}

// AllowedByFile reports whether an earlier version of Winnow allowed the file of an entry
// as a whole.
func (c *Consents) AllowedByFile(e Entry) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.kept.Files[fileKey(e.Origin.Source.Path)] == Allowed
}

// Before returns the parts of what was last allowed under an entry's name: of its start,
// and of its rules.
func (c *Consents) Before(e Entry) (start, rules []Part) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	a := c.kept.Servers[serverKey(e)]
	return a.Parts, a.RuleParts
}

// Approval is a consent to an entry's start and rules as they are now.
type Approval struct {
	Entry Entry
	// Start is zero if the entry defines no server or only its rules are approved; Rules
	// is zero if they are not.
	Start Start
	Rules Rules
}

// Allow allows the starts and rules of entries. It takes effect at once, even if it
// cannot be stored.
func (c *Consents) Allow(approved ...Approval) error {
	if len(approved) == 0 {
		return nil
	}
	return c.change(func(f *consentFile) { f.allow(approved) })
}

func (f *consentFile) allow(approved []Approval) {
	for _, one := range approved {
		e := one.Entry
		a := f.Servers[serverKey(e)]
		if a.Answer != Allowed {
			a = answer{Answer: Allowed, Redirects: a.Redirects}
		}
		a = a.about(e)
		a.Since = time.Now().UnixMilli()
		if one.Start.Hash != "" {
			a.Hashes, a.Parts = withHash(a.Hashes, one.Start.Hash), one.Start.Parts
		}
		if one.Rules.Hash != "" {
			a.Rules, a.RuleParts, a.Refused = withHash(a.Rules, one.Rules.Hash), one.Rules.Parts, ""
		}
		f.Servers[serverKey(e)] = a
		if file := fileKey(e.Origin.Source.Path); f.Files[file] == Allowed {
			delete(f.Files, file)
		}
	}
}

// withHash returns hashes with hash as the latest.
func withHash(hashes []string, hash string) []string {
	hashes = slices.DeleteFunc(slices.Clone(hashes), func(h string) bool { return h == hash })
	hashes = append(hashes, hash)
	return hashes[max(0, len(hashes)-maxHashes):]
}

// Refuse refuses an entry's current rules. Its start is not affected.
func (c *Consents) Refuse(e Entry) error {
	return c.change(func(f *consentFile) {
		a := f.Servers[serverKey(e)]
		a.Refused = RulesOf(e).Hash
		a.Rules = slices.DeleteFunc(slices.Clone(a.Rules), func(h string) bool { return h == a.Refused })
		f.Servers[serverKey(e)] = a
	})
}

// Upgrade rewrites the answers about entries that an earlier version wrote without names,
// or for one folder of a user's file.
func (c *Consents) Upgrade(entries []Approval) error {
	c.mu.RLock()
	old := slices.DeleteFunc(entries, func(one Approval) bool {
		a := c.kept.Servers[serverKey(one.Entry)]
		return a.Answer != Allowed || a.Server != "" && (one.Start.Earlier == "" || slices.Contains(a.Hashes, one.Start.Hash) || !slices.Contains(a.Hashes, one.Start.Earlier))
	})
	c.mu.RUnlock()
	if len(old) == 0 {
		return nil
	}
	return c.change(func(f *consentFile) {
		for _, one := range old {
			a := f.Servers[serverKey(one.Entry)].about(one.Entry)
			if one.Start.Earlier != "" && slices.Contains(a.Hashes, one.Start.Earlier) {
				a.Hashes = withHash(a.Hashes, one.Start.Hash)
			}
			f.Servers[serverKey(one.Entry)] = a
		}
	})
}

// Redirects reports whether the user has allowed a server to redirect from one origin to
// another.
func (c *Consents) Redirects(e Entry, from, to string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.ContainsFunc(c.kept.Servers[serverKey(e)].Redirects, func(r Redirect) bool { return r.From == from && r.To == to })
}

// AllowRedirect stores such a permission.
func (c *Consents) AllowRedirect(e Entry, from, to string) error {
	return c.change(func(f *consentFile) {
		a := f.Servers[serverKey(e)].about(e)
		a.Redirects = append(slices.Clip(a.Redirects), Redirect{From: from, To: to, Since: time.Now().UnixMilli()})
		f.Servers[serverKey(e)] = a
	})
}

// Agreement is what the user has allowed for one entry, of any folder.
type Agreement struct {
	Server, File, Project string
	// Agreed reports consent to its start or its rules. Since is when, in Unix
	// milliseconds; 0 if an earlier version stored it.
	Agreed    bool
	Since     int64
	Redirects []Redirect
}

// Agreements lists all agreements, except those of earlier versions with an unknown
// entry; see [Consents.Upgrade].
func (c *Consents) Agreements() []Agreement {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var all []Agreement
	for _, a := range c.kept.Servers {
		if agreed := a.Answer == Allowed && len(a.Hashes)+len(a.Rules) > 0; a.Server != "" && (agreed || len(a.Redirects) > 0) {
			all = append(all, Agreement{a.Server, a.File, a.Project, agreed, a.Since, a.Redirects})
		}
	}
	return all
}

// Withdraw drops the agreements about an entry, which need not exist any more, and
// reports whether there were any. With redirect it drops only the redirects to that
// address, otherwise all but redirects.
func (c *Consents) Withdraw(file, project, server, redirect string) (bool, error) {
	key := serverKey(Entry{Name: server, Origin: Origin{Source: Source{Path: file, Project: project}}})
	c.mu.RLock()
	_, found := c.kept.Servers[key]
	c.mu.RUnlock()
	if !found {
		return false, nil
	}
	return true, c.change(func(f *consentFile) {
		a := f.Servers[key]
		kept := answer{Redirects: a.Redirects, Server: a.Server, File: a.File, Project: a.Project}
		if redirect != "" {
			kept = a
			kept.Redirects = slices.DeleteFunc(slices.Clone(a.Redirects), func(r Redirect) bool { return r.To == redirect })
		}
		if kept.Answer == Unasked && len(kept.Redirects) == 0 {
			delete(f.Servers, key)
			return
		}
		f.Servers[key] = kept
	})
}

// Deny keeps an entry's server from starting, whatever its content.
func (c *Consents) Deny(e Entry) error {
	return c.change(func(f *consentFile) { f.Servers[serverKey(e)] = answer{Answer: Denied} })
}

// DenyFile keeps the servers of a file from starting: its current entries, and future
// ones.
func (c *Consents) DenyFile(path string, entries []Entry) error {
	return c.change(func(f *consentFile) {
		f.Files[fileKey(path)] = Denied
		for _, e := range entries {
			delete(f.Servers, serverKey(e))
		}
	})
}

// AllowFile withdraws a denial of a file. Starts still need Allow.
func (c *Consents) AllowFile(path string) error {
	return c.change(func(f *consentFile) { delete(f.Files, fileKey(path)) })
}

// Settled reports whether a workspace folder's own files were accepted when it was first
// trusted, or may have been.
func (c *Consents) Settled(folder string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.kept.Lost || c.kept.Folders[fileKey(folder)]
}

// Settle records that they were, and allows their starts. It writes the file once,
// because a start waits for it.
func (c *Consents) Settle(folder string, approved ...Approval) error {
	return c.change(func(f *consentFile) {
		f.Folders[fileKey(folder)] = true
		f.allow(approved)
	})
}

// change applies a change in memory, and then to the current file, which another daemon
// may have changed. An unreadable file is renamed, because it holds the answers of all
// folders.
func (c *Consents) change(apply func(f *consentFile)) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.mu.Lock()
	apply(&c.kept)
	c.mu.Unlock()
	if c.path == "" {
		return nil
	}
	c.unsaved = append(c.unsaved, apply)
	if err := os.MkdirAll(filepath.Dir(c.path), 0o700); err != nil {
		return fmt.Errorf("remember the answer: %w", err)
	}
	unlock, err := atomicfile.Lock(c.path)
	if err != nil {
		return fmt.Errorf("remember the answer: %w", err)
	}
	defer unlock()
	now, err := readConsents(c.path)
	if err != nil {
		if failed := os.Rename(c.path, c.path+".unread"); failed != nil {
			return fmt.Errorf("remember the answer: %w", errors.Join(err, failed))
		}
		now = newConsentFile()
		now.Lost = true
	}
	for _, apply := range c.unsaved {
		apply(&now)
	}
	if err := writeConsents(c.path, now); err != nil {
		return fmt.Errorf("remember the answer: %w", err)
	}
	c.unsaved, c.read = nil, stampOf(c.path)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept = now
	return nil
}

func writeConsents(path string, file consentFile) error {
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(file); err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	return atomicfile.Write(path, data.Bytes(), 0o600)
}

// serverKey identifies a server of a file.
func serverKey(e Entry) string {
	return sum(encoded([]string{filepath.Clean(e.Origin.Source.Path), e.Origin.Source.Project, e.Name}))
}

// fileKey identifies a file or a folder, as in version 1.
func fileKey(path string) string { return sum(filepath.Clean(path)) }
