package config

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// diskWith has one source for each of some files in a new folder.
func diskWith(t *testing.T, names ...string) (*disk, string) {
	t.Helper()
	dir := t.TempDir()
	d := newDisk()
	var sources []Source
	for _, name := range names {
		sources = append(sources, Source{Path: filepath.Join(dir, name), Dialect: Winnow})
	}
	d.use(sources)
	return d, dir
}

func TestDisk_Scan(t *testing.T) {
	t.Parallel()
	d, dir := diskWith(t, "a.json", "b.json")
	steps := []struct {
		name    string
		do      func() error
		all     bool
		changed bool
		want    string
	}{
		{"first look at nothing", func() error { return nil }, true, true, ""},
		{"still nothing", func() error { return nil }, true, false, ""},
		{"a file", func() error { return os.WriteFile(filepath.Join(dir, "b.json"), []byte(one("x")), 0o644) }, false, true, "b.json x"},
		{"the same bytes", func() error { return os.WriteFile(filepath.Join(dir, "b.json"), []byte(one("x")), 0o644) }, true, false, "b.json x"},
		{"only a new time", func() error {
			return os.Chtimes(filepath.Join(dir, "b.json"), time.Unix(1, 0), time.Unix(1, 0))
		}, false, false, "b.json x"},
		{"the same size and time", func() error {
			if err := os.WriteFile(filepath.Join(dir, "b.json"), []byte(one("y")), 0o644); err != nil {
				return err
			}
			return os.Chtimes(filepath.Join(dir, "b.json"), time.Unix(1, 0), time.Unix(1, 0))
		}, false, false, "b.json x"},
		{"looked at closely", func() error { return nil }, true, true, "b.json y"},
		{"another file", func() error { return os.WriteFile(filepath.Join(dir, "a.json"), []byte(one("z")), 0o644) }, false, true, "a.json z, b.json y"},
		{"broken", func() error { return os.WriteFile(filepath.Join(dir, "a.json"), []byte("{"), 0o644) }, false, true, "a.json z broken, b.json y"},
		{"broken in another way", func() error { return os.WriteFile(filepath.Join(dir, "a.json"), []byte("[["), 0o644) }, false, true, "a.json z broken, b.json y"},
		{"gone", func() error { return os.Remove(filepath.Join(dir, "a.json")) }, false, true, "b.json y"},
		{"back, and broken", func() error { return os.WriteFile(filepath.Join(dir, "a.json"), []byte("{"), 0o644) }, false, true, "a.json broken, b.json y"},
	}
	for _, step := range steps {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		changed := d.scan(step.all)
		if got := servers(d.snapshot()); changed != step.changed || got != step.want {
			t.Errorf("%s: changed %t, %q; want %t, %q", step.name, changed, got, step.changed, step.want)
		}
	}
}

// TestDisk_Immutable: what was handed out does not change with the file.
func TestDisk_Immutable(t *testing.T) {
	t.Parallel()
	d, dir := diskWith(t, "a.json")
	for _, text := range []string{one("x"), "{", one("y")} {
		if err := os.WriteFile(filepath.Join(dir, "a.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		d.scan(true)
		before := d.snapshot()
		want := servers(before)
		if err := os.WriteFile(filepath.Join(dir, "a.json"), []byte("{{"), 0o644); err != nil {
			t.Fatal(err)
		}
		d.scan(true)
		if got := servers(before); got != want {
			t.Errorf("an old snapshot went from %q to %q", want, got)
		}
	}
}

// TestDisk_LastGoodNamesBoth: the problem is the new one, and says that the old
// content stays.
func TestDisk_LastGoodNamesBoth(t *testing.T) {
	t.Parallel()
	source := Source{Path: "f", Dialect: Winnow}
	good := Parse(source, []byte(`{"servers": {"a": {"command": "x", "zzz": 1}}}`))
	bad := Parse(source, []byte("{\n"))
	kept := lastGood(good, bad)
	if !kept.Broken || len(kept.Entries) != 1 || len(kept.Problems) != 1 || kept.Problems[0].Line != 1 {
		t.Errorf("got %+v", kept)
	}
	if !strings.Contains(kept.Problems[0].Hint, "stays in effect") || strings.Contains(bad.Problems[0].Hint, "stays") {
		t.Errorf("hints %q and %q", kept.Problems[0].Hint, bad.Problems[0].Hint)
	}
	if again := lastGood(kept, bad); len(again.Entries) != 1 || again.Problems[0] != kept.Problems[0] {
		t.Errorf("the second time %+v", again)
	}
	if healed := lastGood(kept, good); healed.Broken || len(healed.Problems) != 1 {
		t.Errorf("healed %+v", healed)
	}
}

// TestReadContent: a path that is no file is told apart from one that is not
// there, and reading never blocks.
func TestReadContent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("12345"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, path string
		limit      int
		want       content
	}{
		{"a file", file, 5, content{data: []byte("12345")}},
		{"too large", file, 4, content{failure: &syntaxError{Message: "the file has 0.0 MB"}}},
		{"nothing", filepath.Join(dir, "none"), 5, content{absent: true}},
		{"below a file", filepath.Join(file, "below"), 5, content{absent: true}},
		{"a folder", dir, 5, content{failure: &syntaxError{Message: "this is not a file"}}},
	}
	if pipe := filepath.Join(dir, "pipe"); mkfifo(pipe) == nil {
		tests = append(tests, tests[4])
		tests[len(tests)-1].name, tests[len(tests)-1].path = "a pipe", pipe
	}
	for _, tt := range tests {
		got := readContent(tt.path, tt.limit)
		if string(got.data) != string(tt.want.data) || got.absent != tt.want.absent || (got.failure == nil) != (tt.want.failure == nil) {
			t.Errorf("%s: got %+v", tt.name, got)
			continue
		}
		if got.failure != nil && !strings.HasPrefix(got.failure.Message, tt.want.failure.Message) {
			t.Errorf("%s: %s", tt.name, got.failure.Message)
		}
	}
}

// TestReadContent_LoopOfLinks: neither absent nor endless.
func TestReadContent_LoopOfLinks(t *testing.T) {
	t.Parallel()
	loop := filepath.Join(t.TempDir(), "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	if got := readContent(loop, 5); got.failure == nil || strings.Contains(got.failure.Message, loop) {
		t.Errorf("got %+v", got)
	}
	if p := placesOf([]string{loop}); !p.names[loop] || len(p.dirs) == 0 {
		t.Errorf("places %+v", p)
	}
}

func TestPlacesOf(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need a privilege on Windows")
	}
	dir := t.TempDir()
	for _, folder := range []string{"a/b", "target", "linked"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"a/b/link": "../../target/file", "hop": "linked"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		path string
		dirs []string
	}{
		{"a/b/file", []string{"a/b"}},
		{"a/none/none/file", []string{"a"}},
		{"a/b/link", []string{"a/b", "target"}},
		{"hop/file", []string{".", "hop"}},
	}
	for _, tt := range tests {
		p := placesOf([]string{filepath.Join(dir, tt.path)})
		var got []string
		for d := range p.dirs {
			rel, err := filepath.Rel(dir, d)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, rel)
		}
		if !slices.Equal(sorted(got), tt.dirs) {
			t.Errorf("%s: watch %q, want %q", tt.path, sorted(got), tt.dirs)
		}
		for _, name := range []string{tt.path, filepath.Dir(tt.path), "."} {
			if !p.names[filepath.Join(dir, name)] {
				t.Errorf("%s: events of %s do not count", tt.path, name)
			}
		}
	}
	if p := placesOf([]string{"/winnow-none/file"}); len(p.dirs) != 0 {
		t.Errorf("watches the root: %v", p.dirs)
	}
}
