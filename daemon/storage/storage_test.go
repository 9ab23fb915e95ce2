package storage_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/storage"
)

func names(t *testing.T, f storage.Folder) []string {
	t.Helper()
	blobs, err := f.List()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, blob := range blobs {
		names = append(names, blob.Name)
	}
	return names
}

func write(t *testing.T, f storage.Folder, name, text string, age time.Duration) {
	t.Helper()
	if err := f.Write(name, []byte(text)); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-age)
	if err := os.Chtimes(f.Path(name), at, at); err != nil {
		t.Fatal(err)
	}
}

func TestFolder(t *testing.T) {
	t.Parallel()
	f := storage.Folder{Dir: filepath.Join(t.TempDir(), "made", "when needed"), Suffix: ".blob"}
	if data, err := f.Read("a"); data != nil || err != nil {
		t.Errorf("before anything: got %q, %v, want none", data, err)
	}
	write(t, f, "a", "one", 0)
	write(t, f, "a", "two", 0)
	if data, err := f.Read("a"); string(data) != "two" || err != nil {
		t.Errorf("got %q, %v, want two", data, err)
	}
	info, err := os.Stat(f.Path("a"))
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("got mode %v, %v, want the user's alone", info.Mode(), err)
	}
	other := filepath.Join(f.Dir, "somebody else's")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Clear(); err != nil {
		t.Error(err)
	}
	if got := names(t, f); got != nil {
		t.Errorf("cleared: got %q", got)
	}
	if _, err := os.Stat(other); err != nil {
		t.Errorf("a file that is not ours: %v", err)
	}
	if err := f.Remove("a"); err != nil {
		t.Errorf("what is gone already: %v", err)
	}
}

func TestFolder_withoutDir(t *testing.T) {
	t.Parallel()
	var f storage.Folder
	if err := f.Write("a", []byte("x")); err != nil {
		t.Error(err)
	}
	if data, err := f.Read("a"); data != nil || err != nil {
		t.Errorf("got %q, %v, want none", data, err)
	}
	if err := f.Clear(); err != nil {
		t.Error(err)
	}
}

func TestFolder_bounds(t *testing.T) {
	t.Parallel()
	const size = int64(len("winnow \nxxxx") + len("1234")) // of one file
	for name, tt := range map[string]struct {
		bounds storage.Bounds
		want   []string
	}{
		"none":                             {storage.Bounds{}, []string{"oldest", "older", "old", "new"}},
		"count":                            {storage.Bounds{MaxCount: 2}, []string{"old", "new"}},
		"bytes":                            {storage.Bounds{MaxBytes: 2*size + 1}, []string{"old", "new"}},
		"age":                              {storage.Bounds{MaxAge: 150 * time.Minute}, []string{"older", "old", "new"}},
		"the blob itself is never deleted": {storage.Bounds{MaxBytes: 1}, []string{"new"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := storage.Folder{Dir: t.TempDir()}
			for i, blob := range []string{"oldest", "older", "old"} {
				write(t, f, blob, "1234", time.Duration(3-i)*time.Hour)
			}
			f.Bounds = tt.bounds
			if err := f.Write("new", []byte("1234")); err != nil {
				t.Fatal(err)
			}
			if got := names(t, f); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestFolder_twoWindows: who reads while others write gets one of the texts as
// a whole.
func TestFolder_twoWindows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const length = 100_000
	var writing sync.WaitGroup
	for letter := range 4 {
		f := storage.Folder{Dir: dir, Bounds: storage.Bounds{MaxCount: 1}}
		text := slices.Repeat([]byte{byte('a' + letter)}, length)
		writing.Go(func() {
			for range 20 {
				if err := f.Write("shared", text); err != nil {
					t.Error(err)
				}
			}
		})
	}
	f := storage.Folder{Dir: dir}
	for range 100 {
		data, err := f.Read("shared")
		if err != nil || data != nil && (len(data) != length || data[0] != data[length-1]) {
			t.Fatal(fmt.Errorf("got %d bytes, %w; want %d of one letter", len(data), err, length))
		}
	}
	writing.Wait()
}

// TestFolder_damage: of a file in which any byte is changed or missing nothing
// is returned, and the one beside it is not affected.
func TestFolder_damage(t *testing.T) {
	t.Parallel()
	f := storage.Folder{Dir: t.TempDir(), Format: "things 1"}
	write(t, f, "damaged", "text", 0)
	write(t, f, "whole", "text", 0)
	good, err := os.ReadFile(f.Path("damaged"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range good {
		changed := slices.Clone(good)
		changed[i] ^= 1 << (i % 8)
		for _, bad := range [][]byte{changed, good[:i]} {
			if err := os.WriteFile(f.Path("damaged"), bad, 0o600); err != nil {
				t.Fatal(err)
			}
			if data, err := f.Read("damaged"); !errors.Is(err, storage.ErrUnusable) || data != nil {
				t.Fatalf("of %q: got %q, %v, want ErrUnusable", bad, data, err)
			}
		}
	}
	if data, err := f.Read("whole"); string(data) != "text" || err != nil {
		t.Errorf("the blob beside it: got %q, %v", data, err)
	}
	other := storage.Folder{Dir: f.Dir, Format: "things 2"}
	if data, err := other.Read("whole"); !errors.Is(err, storage.ErrUnusable) || data != nil {
		t.Errorf("of another version: got %q, %v, want ErrUnusable", data, err)
	}
	if err := f.Write("damaged", []byte("new")); err != nil {
		t.Fatal(err)
	}
	if data, err := f.Read("damaged"); string(data) != "new" || err != nil {
		t.Errorf("written anew: got %q, %v", data, err)
	}
}
