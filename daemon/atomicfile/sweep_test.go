package atomicfile

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"
)

// What a killed process has left beside a file goes at the next write and by
// Sweep; everything else stays, a copy that is being written too.
func TestSweep(t *testing.T) {
	t.Parallel()
	for name, clean := range map[string]func(path string) error{
		"write": func(path string) error { return Write(path, []byte("{}"), 0o600) },
		"sweep": func(path string) error { Sweep(path); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			old := time.Now().Add(-2 * abandoned)
			names := map[string]bool{
				".winnow.json4611686018427387904": false, // whether it stays
				".winnow.json":                    true,
				".winnow.json.bak":                true,
				".winnow.json12":                  true,
				"winnow.json4611686018427387904":  true,
				".other.json4611686018427387904":  true,
				".winnow.json1111111111111111111": true, // it is new
			}
			for name := range names {
				path := filepath.Join(dir, name)
				if err := os.WriteFile(path, []byte("secret"), 0o600); err != nil {
					t.Fatal(err)
				}
				if name != ".winnow.json1111111111111111111" {
					if err := os.Chtimes(path, old, old); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := clean(filepath.Join(dir, "winnow.json")); err != nil {
				t.Fatal(err)
			}
			for name, stays := range names {
				if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != stays {
					t.Errorf("%s: %v, want it to stay: %t", name, err, stays)
				}
			}
		})
	}
}

// The copy of a file that others may read is private until it is the file.
func TestWrite_CopyIsPrivate(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "winnow.json")
	stop, seen := make(chan struct{}), make(chan error, 1)
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			entries, err := os.ReadDir(dir)
			if err != nil {
				continue
			}
			for _, entry := range entries {
				info, err := entry.Info()
				if err == nil && isCopy(info.Name(), "winnow.json") && info.Mode().Perm() != private {
					select {
					case seen <- fmt.Errorf("%s has mode %v", info.Name(), info.Mode()):
					default:
					}
				}
			}
		}
	})
	for range 50 {
		if err := Write(path, []byte("secret"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	watching.Wait()
	select {
	case err := <-seen:
		t.Error(err)
	default:
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644&^umaskForTest() {
		t.Errorf("the file has mode %v, %v", info.Mode(), err)
	}
}

// A folder that is cleared while it is written is made again, and nothing is
// said of it.
func TestWriteIn_Cleared(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "storage", "part")
	stop := make(chan struct{})
	var clearing sync.WaitGroup
	clearing.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_ = os.RemoveAll(filepath.Dir(dir))
			}
		}
	})
	for range 50 {
		if err := WriteIn(dir, "f", []byte("x"), 0o600); err != nil {
			t.Errorf("a write while the folder is cleared: %v", err)
		}
	}
	close(stop)
	clearing.Wait()
	if err := WriteIn(dir, "f", []byte("x"), 0o600); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "f")); err != nil || string(data) != "x" {
		t.Errorf("afterwards it holds %q, %v", data, err)
	}
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteIn(filepath.Join(blocked, "sub"), "f", nil, 0o600); err == nil {
		t.Error("a folder that cannot be made is no error")
	}
}
