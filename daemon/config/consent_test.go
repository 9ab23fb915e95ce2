package config

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestConsents_Remember(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	c, err := OpenConsents(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Get("/a"); got != Unasked {
		t.Errorf("got %q before an answer", got)
	}
	for path, allow := range map[string]bool{"/a": true, "/b": false, "/c/../d": true} {
		if err := c.Set(path, allow); err != nil {
			t.Fatal(err)
		}
	}
	again, err := OpenConsents(dir)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]Consent{"/a": Allowed, "/b": Denied, "/d": Allowed, "/e": Unasked} {
		if got := again.Get(path); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "consents.json"))
	if err != nil || strings.Contains(string(data), "/a") {
		t.Errorf("the file names paths, or is not there: %s %v", data, err)
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
	if err := one.Set("/a", true); err != nil {
		t.Fatal(err)
	}
	if err := two.Set("/b", true); err != nil {
		t.Fatal(err)
	}
	if two.Get("/a") != Allowed {
		t.Error("an answer did not take in those of the file")
	}
	three, err := OpenConsents(dir)
	if err != nil || three.Get("/a") != Allowed || three.Get("/b") != Allowed {
		t.Errorf("a %q, b %q, %v", three.Get("/a"), three.Get("/b"), err)
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
			if err := c.Set("/a", true); err != nil || c.Get("/a") != Allowed {
				t.Errorf("got %q, %v", c.Get("/a"), err)
			}
		})
	}
	done.Wait()
}

func TestConsents_BrokenFile(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"{", `{"version": 2}`, `[]`} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "consents.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := OpenConsents(dir)
		if err == nil || c.Get("/a") != Unasked {
			t.Errorf("%s: got %v", text, err)
		}
		if err := c.Set("/a", true); err != nil {
			t.Error(err)
		}
		if again, err := OpenConsents(dir); err != nil || again.Get("/a") != Allowed {
			t.Errorf("%s: not replaced: %v", text, err)
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
	if err := c.Set("/a", true); err == nil || c.Get("/a") != Allowed {
		t.Errorf("got %v and %q", err, c.Get("/a"))
	}
}
