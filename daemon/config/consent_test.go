package config

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func consentEntry(path, name, command string) (Entry, Start) {
	e := Entry{Name: name, Origin: Origin{Source: Source{Path: path, Dialect: Claude}}, Definition: Definition{Transport: Stdio, Command: command}}
	return e, StartOf(e, Lookup{})
}

func get(c *Consents, path, name, command string) Consent {
	e, start := consentEntry(path, name, command)
	return c.Get(e, start)
}

func allow(t *testing.T, c *Consents, path, name, command string) {
	t.Helper()
	e, start := consentEntry(path, name, command)
	if err := c.Allow(Approval{Entry: e, Start: start}); err != nil {
		t.Fatal(err)
	}
}

// TestConsents: an answer is to one start of one server of one file.
func TestConsents(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	c, err := OpenConsents(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := get(c, "/a", "s", "x"); got != Unasked {
		t.Errorf("got %q before an answer", got)
	}
	allow(t, c, "/a", "s", "x")
	allow(t, c, "/c/../d", "s", "x")
	denied, _ := consentEntry("/b", "s", "x")
	if err := c.Deny(denied); err != nil {
		t.Fatal(err)
	}
	again, err := OpenConsents(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path, name, command string
		want                Consent
	}{
		{"/a", "s", "x", Allowed},
		{"/a", "s", "y", Changed},
		{"/a", "other", "x", Unasked},
		{"/d", "s", "x", Allowed},
		{"/b", "s", "x", Denied},
		{"/b", "s", "y", Denied},
		{"/e", "s", "x", Unasked},
	} {
		for _, c := range []*Consents{c, again} {
			if got := get(c, tt.path, tt.name, tt.command); got != tt.want {
				t.Errorf("%s of %s with %s: got %q, want %q", tt.name, tt.path, tt.command, got, tt.want)
			}
		}
	}
}

// TestConsents_TakeOver: the answers that an earlier version kept for one folder
// count for all, also where they are about a file of the user's in its folder.
func TestConsents_TakeOver(t *testing.T) {
	t.Parallel()
	storage, kept := t.TempDir(), t.TempDir()
	e, _ := consentEntry("/home/.cursor/mcp.json", "s", "x")
	start := func(scope Scope, folder string) Start {
		e.Origin.Source.Scope = scope
		return StartOf(e, Lookup{Folders: []Folder{{Path: folder}}})
	}
	old, err := json.Marshal(map[string]any{"version": 2, "servers": map[string]any{
		serverKey(e): map[string]any{"answer": "allowed", "hashes": []string{start(Workspace, "/a").Hash}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(storage, consentsName), old, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := OpenConsents(kept)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.TakeOver(storage); err != nil {
		t.Fatal(err)
	}
	in := start(User, "/a")
	if c.Get(e, in) != Allowed || c.Get(e, start(User, "/b")) != Changed || len(c.Agreements()) != 0 {
		t.Errorf("before: %q in its folder, %q in another", c.Get(e, in), c.Get(e, start(User, "/b")))
	}
	for range 2 {
		if err := c.Upgrade([]Approval{{Entry: e, Start: in}}); err != nil {
			t.Fatal(err)
		}
	}
	again, err := OpenConsents(kept)
	if err != nil || again.Get(e, start(User, "/b")) != Allowed || len(again.Agreements()) != 1 {
		t.Errorf("after: %q, %+v, %v", again.Get(e, start(User, "/b")), again.Agreements(), err)
	}
}

// TestConsents_TakeOverNo: a no is not lost to the yes that was given in another
// folder before, and is to one that was given since.
func TestConsents_TakeOverNo(t *testing.T) {
	t.Parallel()
	kept := t.TempDir()
	c, err := OpenConsents(kept)
	if err != nil {
		t.Fatal(err)
	}
	e, start := consentEntry("/home/.cursor/mcp.json", "s", "x")
	since, _ := consentEntry("/home/.cursor/mcp.json", "since", "x")
	allow(t, c, "/home/.cursor/mcp.json", "since", "x")
	takeOver := func(a answer) {
		t.Helper()
		storage := t.TempDir()
		file := newConsentFile()
		file.Servers[serverKey(e)], file.Servers[serverKey(since)] = a, a
		if err := writeConsents(filepath.Join(storage, consentsName), file); err != nil {
			t.Fatal(err)
		}
		if _, err := c.TakeOver(storage); err != nil {
			t.Fatal(err)
		}
	}
	takeOver(answer{Answer: Allowed, Hashes: []string{start.Hash}})
	if got := c.Get(e, start); got != Allowed {
		t.Errorf("after the yes: %q", got)
	}
	takeOver(answer{Answer: Denied})
	if got, other := c.Get(e, start), get(c, "/home/.cursor/mcp.json", "since", "x"); got != Denied || other != Allowed {
		t.Errorf("after the no: %q, and %q of what was allowed since", got, other)
	}
}

// TestConsents_BackAndForth: what was allowed stays allowed, so that a branch
// that is switched back asks nothing; but not for ever.
func TestConsents_BackAndForth(t *testing.T) {
	t.Parallel()
	c, err := OpenConsents("")
	if err != nil {
		t.Fatal(err)
	}
	allow(t, c, "/a", "s", "first")
	for i := range maxHashes - 1 {
		allow(t, c, "/a", "s", strings.Repeat("x", i+1))
	}
	if got := get(c, "/a", "s", "first"); got != Allowed {
		t.Errorf("back again: got %q", got)
	}
	allow(t, c, "/a", "s", "one more")
	if got := get(c, "/a", "s", "first"); got != Changed {
		t.Errorf("what was allowed long ago: got %q", got)
	}
	e, start := consentEntry("/a", "s", "new")
	before, _ := c.Before(e)
	if changes := start.ChangesSince(before); len(changes) != 1 || changes[0].Before != "one more" || changes[0].After != "new" {
		t.Errorf("the changes are %+v", changes)
	}
}

// TestConsents_File: a no to a file is one to what it will have, until it is
// taken back.
func TestConsents_File(t *testing.T) {
	t.Parallel()
	c, err := OpenConsents(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	allow(t, c, "/a", "s", "x")
	e, _ := consentEntry("/a", "s", "x")
	if err := c.DenyFile("/a", []Entry{e}); err != nil {
		t.Fatal(err)
	}
	if got, more := get(c, "/a", "s", "x"), get(c, "/a", "more", "x"); got != Denied || more != Denied {
		t.Errorf("after a no: %q and %q", got, more)
	}
	if err := c.AllowFile("/a"); err != nil {
		t.Fatal(err)
	}
	if got := get(c, "/a", "s", "x"); got != Unasked {
		t.Errorf("after it was taken back: %q", got)
	}
}

// TestConsents_Version1: what a file as a whole was allowed is asked for again,
// and a no stays one.
func TestConsents_Version1(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old, err := json.Marshal(map[string]any{"version": 1, "files": map[string]string{fileKey("/a"): "allowed", fileKey("/b"): "denied"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "consents.json"), old, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := OpenConsents(dir)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := consentEntry("/a", "s", "x")
	if get(c, "/a", "s", "x") != Unasked || !c.AllowedByFile(a) || get(c, "/b", "s", "x") != Denied {
		t.Errorf("a is %q, by its file %t, b is %q", get(c, "/a", "s", "x"), c.AllowedByFile(a), get(c, "/b", "s", "x"))
	}
	allow(t, c, "/a", "s", "x")
	again, err := OpenConsents(dir)
	if err != nil || again.AllowedByFile(a) || get(again, "/a", "s", "x") != Allowed || get(again, "/b", "s", "x") != Denied {
		t.Errorf("after an answer: %v, by the file %t", err, again.AllowedByFile(a))
	}
}

// TestConsents_TwoDaemons: an answer in one window survives one in another.
func TestConsents_TwoDaemons(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, err1 := OpenConsents(dir)
	two, err2 := OpenConsents(dir)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	allow(t, one, "/a", "s", "x")
	allow(t, two, "/b", "s", "x")
	if get(two, "/a", "s", "x") != Allowed {
		t.Error("an answer did not take in those of the file")
	}
	three, err := OpenConsents(dir)
	if err != nil || get(three, "/a", "s", "x") != Allowed || get(three, "/b", "s", "x") != Allowed {
		t.Errorf("one of the two is lost, %v", err)
	}
}

func TestConsents_InMemory(t *testing.T) {
	t.Parallel()
	c, err := OpenConsents("")
	if err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	for range 8 {
		done.Go(func() {
			e, start := consentEntry("/a", "s", "x")
			if err := c.Allow(Approval{Entry: e, Start: start}); err != nil || c.Get(e, start) != Allowed {
				t.Errorf("got %q, %v", c.Get(e, start), err)
			}
		})
	}
	done.Wait()
	if c.Settled("/a") || c.Settle("/a") != nil || !c.Settled("/a") {
		t.Error("a settled folder is not")
	}
}

func TestConsents_BrokenFile(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"{", `{"version": 3}`, `[]`} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "consents.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := OpenConsents(dir)
		if err == nil || get(c, "/a", "s", "x") != Unasked {
			t.Errorf("%s: got %v", text, err)
		}
		allow(t, c, "/a", "s", "x")
		if again, err := OpenConsents(dir); err != nil || get(again, "/a", "s", "x") != Allowed {
			t.Errorf("%s: not replaced: %v", text, err)
		}
		if aside, err := os.ReadFile(filepath.Join(dir, "consents.json.unread")); string(aside) != text {
			t.Errorf("%s: put aside is %q, %v", text, aside, err)
		}
	}
}

// TestConsents_CannotWrite: the answer counts for this session.
func TestConsents_CannotWrite(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c, _ := OpenConsents(filepath.Join(file, "dir"))
	e, start := consentEntry("/a", "s", "x")
	if err := c.Allow(Approval{Entry: e, Start: start}); err == nil || c.Get(e, start) != Allowed {
		t.Errorf("got %v and %q", err, c.Get(e, start))
	}
}

// TestConsents_twoAtOnce: of two windows that decide at the same time neither
// loses an answer.
func TestConsents_twoAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	entryOf := func(name string) Entry {
		return Entry{Name: name, Origin: Origin{Source: Source{Path: "/f", Dialect: Claude}}}
	}
	start := Start{Hash: "h"}
	var deciding sync.WaitGroup
	for window := range 2 {
		c, err := OpenConsents(dir)
		if err != nil {
			t.Fatal(err)
		}
		deciding.Go(func() {
			for i := range 25 {
				if err := c.Allow(Approval{Entry: entryOf(fmt.Sprint(window, i)), Start: start}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	deciding.Wait()
	c, err := OpenConsents(dir)
	if err != nil {
		t.Fatal(err)
	}
	for window := range 2 {
		for i := range 25 {
			if name := fmt.Sprint(window, i); c.Get(entryOf(name), start) != Allowed {
				t.Errorf("the yes to %s is lost", name)
			}
		}
	}
}

// TestConsents_lost: where the answers cannot be read no folder is taken as it is,
// now and after the next answer has made a new file.
func TestConsents_lost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, consentsName), []byte(`{"version":2,"folders":`), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := OpenConsents(dir)
	if err == nil || !c.Settled(folder) {
		t.Errorf("settled: %t, %v; want that nothing is taken as it is, and the cause", c.Settled(folder), err)
	}
	if err := c.AllowFile("/some/file"); err != nil {
		t.Fatal(err)
	}
	again, err := OpenConsents(dir)
	if err != nil || !again.Settled(folder) {
		t.Errorf("after an answer settled: %t, %v", again.Settled(folder), err)
	}
	if _, err := os.Stat(filepath.Join(dir, consentsName+".unread")); err != nil {
		t.Errorf("what could not be read is gone: %v", err)
	}
}
