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
	// Changed: something else was allowed under this name in this file.
	Changed Consent = "changed"
	// Denied: it may not, whatever it becomes.
	Denied Consent = "denied"
)

// maxHashes is how many starts of one server stay allowed: those that were
// allowed last. A path that differs between a terminal and an editor, or a
// branch that is switched back and forth, then asks once each.
const maxHashes = 8

// Consents remembers the user's answers: for each server of a file, what may
// start. It is safe for concurrent use.
type Consents struct {
	// path is the file that keeps the answers; empty keeps them in memory.
	path string
	// writing is held while an answer is taken and the file is read and written,
	// so that one answer does not undo another.
	writing sync.Mutex
	// unsaved are the changes that could not be written. Guarded by writing.
	unsaved []func(f *consentFile)

	// read is what the file was when it was read or written last. Guarded by writing.
	read stamp

	mu sync.RWMutex
	// kept holds the answers. Guarded by mu, which is never held across I/O.
	kept consentFile
}

// consentVersion is that of the file. Version 1 had one answer for each file,
// whatever the file would say later: its yes counts no more and its no does.
const consentVersion = 2

// consentFile is the form on disk.
type consentFile struct {
	Version int `json:"version"`
	// Servers is by serverKey.
	Servers map[string]answer `json:"servers"`
	// Files has the files of which no server may start, by fileKey, and those
	// that version 1 had as allowed.
	Files map[string]Consent `json:"files"`
	// Folders has the workspace folders whose own files were taken as they were
	// when they were first trusted, by fileKey.
	Folders map[string]bool `json:"folders"`
	// Lost: a file with earlier answers could not be read. Nobody knows which folders
	// were settled, so none is taken as it is any more: what it starts is asked about.
	Lost bool `json:"lost,omitempty"`
}

// answer is what the user said of one server of a file.
type answer struct {
	Answer Consent `json:"answer"`
	// Hashes are of the starts that are allowed, the latest last, and Parts make
	// up the latest.
	Hashes []string `json:"hashes,omitempty"`
	Parts  []Part   `json:"parts,omitempty"`
	// Rules are the hashes of the rules that are allowed, the latest last,
	// RuleParts make up the latest, and Refused is of those the user said no to.
	Rules     []string `json:"rules,omitempty"`
	RuleParts []Part   `json:"ruleParts,omitempty"`
	Refused   string   `json:"refused,omitempty"`
	// Redirects are the addresses to which the server may redirect.
	Redirects []Redirect `json:"redirects,omitempty"`
	// Server, File and Project say which entry it is about; they are empty in the
	// answers of earlier versions. Since is when the last yes was given, in
	// milliseconds of Unix time.
	Server  string `json:"server,omitempty"`
	File    string `json:"file,omitempty"`
	Project string `json:"project,omitempty"`
	Since   int64  `json:"since,omitempty"`
}

// Redirect is a redirect of a server to another origin that the user agreed to.
type Redirect struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Since int64  `json:"since"`
}

// about returns a with the entry that it is about.
func (a answer) about(e Entry) answer {
	a.Server, a.File, a.Project = e.Name, e.Origin.Source.Path, e.Origin.Source.Project
	return a
}

func newConsentFile() consentFile {
	return consentFile{
		Version: consentVersion, Servers: map[string]answer{}, Files: map[string]Consent{}, Folders: map[string]bool{},
	}
}

// OpenConsents reads the answers kept in a folder, which need not exist yet. An
// empty folder keeps them in memory. A file that cannot be read is an error,
// and the answers count as not given.
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

// TakeOver adds the answers that an earlier version kept in a folder of its own,
// where there is none yet, and deletes that file. A no to a server counts for more
// than the yes that an earlier version has kept for another folder. First: there were
// answers to take over, and this version has kept none yet.
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

// Path is the file of the answers, which other processes change too; empty where
// they are kept in memory.
func (c *Consents) Path() string { return c.path }

// Refresh reads the file again where it has changed. One that cannot be read
// changes nothing.
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
	// A null in the file is as if left out.
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

// AllowedByFile reports whether the file of an entry was allowed as a whole, by
// a version of Winnow that asked so.
func (c *Consents) AllowedByFile(e Entry) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.kept.Files[fileKey(e.Origin.Source.Path)] == Allowed
}

// Before returns the parts of what was last allowed under an entry's name: of
// what starts, and of the rules.
func (c *Consents) Before(e Entry) (start, rules []Part) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	a := c.kept.Servers[serverKey(e)]
	return a.Parts, a.RuleParts
}

// Approval is an entry that may start as it is now, and whose rules count.
type Approval struct {
	Entry Entry
	// Start is the zero value where the entry defines no server, or only its rules
	// are meant; Rules where they are not.
	Start Start
	Rules Rules
}

// Allow lets what starts for entries start, and their rules count. It counts at
// once, also when it cannot be kept.
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

// withHash returns hashes with one as the latest.
func withHash(hashes []string, hash string) []string {
	hashes = slices.DeleteFunc(slices.Clone(hashes), func(h string) bool { return h == hash })
	hashes = append(hashes, hash)
	return hashes[max(0, len(hashes)-maxHashes):]
}

// Refuse keeps an entry's rules, as they are now, from counting. What may start
// goes on.
func (c *Consents) Refuse(e Entry) error {
	return c.change(func(f *consentFile) {
		a := f.Servers[serverKey(e)]
		a.Refused = RulesOf(e).Hash
		a.Rules = slices.DeleteFunc(slices.Clone(a.Rules), func(h string) bool { return h == a.Refused })
		f.Servers[serverKey(e)] = a
	})
}

// Upgrade writes the answers about entries as this version does, where an
// earlier one wrote them: without names, and of a user's file for one folder.
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

// Redirects reports whether the user has agreed that a server redirects from one
// origin to another.
func (c *Consents) Redirects(e Entry, from, to string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.ContainsFunc(c.kept.Servers[serverKey(e)].Redirects, func(r Redirect) bool { return r.From == from && r.To == to })
}

// AllowRedirect keeps that the user has.
func (c *Consents) AllowRedirect(e Entry, from, to string) error {
	return c.change(func(f *consentFile) {
		a := f.Servers[serverKey(e)].about(e)
		a.Redirects = append(slices.Clip(a.Redirects), Redirect{From: from, To: to, Since: time.Now().UnixMilli()})
		f.Servers[serverKey(e)] = a
	})
}

// Agreement is what the user has agreed to about one entry, of whatever folder.
type Agreement struct {
	Server, File, Project string
	// Agreed: to what it starts, or to its rules; Since is when, in milliseconds of
	// Unix time, and 0 where an earlier version kept it.
	Agreed    bool
	Since     int64
	Redirects []Redirect
}

// Agreements lists them, but for those of earlier versions whose entry is not
// known; see [Consents.Upgrade].
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

// Withdraw drops what was agreed to about an entry, which need not be there any
// more, and reports whether there was anything: with an address only the
// redirects to it, without one all else.
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

// Deny keeps an entry's server from starting, whatever it becomes.
func (c *Consents) Deny(e Entry) error {
	return c.change(func(f *consentFile) { f.Servers[serverKey(e)] = answer{Answer: Denied} })
}

// DenyFile keeps the servers of a file from starting, those that it has, which
// are given, and those that it gets.
func (c *Consents) DenyFile(path string, entries []Entry) error {
	return c.change(func(f *consentFile) {
		f.Files[fileKey(path)] = Denied
		for _, e := range entries {
			delete(f.Servers, serverKey(e))
		}
	})
}

// AllowFile takes a denial of a file back. What may start is for Allow to say.
func (c *Consents) AllowFile(path string) error {
	return c.change(func(f *consentFile) { delete(f.Files, fileKey(path)) })
}

// Settled reports whether a workspace folder's own files were taken as they were
// when the folder was first trusted, or may have been.
func (c *Consents) Settled(folder string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.kept.Lost || c.kept.Folders[fileKey(folder)]
}

// Settle notes that they were, and allows what they start. The file is written
// once: a start waits for it.
func (c *Consents) Settle(folder string, approved ...Approval) error {
	return c.change(func(f *consentFile) {
		f.Folders[fileKey(folder)] = true
		f.allow(approved)
	})
}

// change changes the answers in memory, and then in the file as it is now:
// another window's daemon may have written to it. A file that cannot be read is put
// aside: it has the answers of all folders.
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

// fileKey identifies a file or a folder. It is as in version 1.
func fileKey(path string) string { return sum(filepath.Clean(path)) }
