package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real", "f"), filepath.Join(dir, "link")
	if err := os.Mkdir(filepath.Dir(real), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(real, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	if err := Write(link, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(real)
	if err != nil || string(data) != "new" {
		t.Errorf("the target holds %q, %v", data, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v %v", info, err)
	}
	if info, err := os.Stat(real); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o640) {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if left, err := os.ReadDir(filepath.Dir(real)); err != nil || len(left) != 1 {
		t.Errorf("files left over: %v %v", left, err)
	}
}

// TestWrite_LinkToNothing: the file is made where the link points, and the link
// stays.
func TestWrite_LinkToNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "dotfiles"), 0o755); err != nil {
		t.Fatal(err)
	}
	first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
	for link, target := range map[string]string{first: second, second: filepath.Join("dotfiles", "f")} {
		if err := os.Symlink(target, link); err != nil {
			t.Skipf("no symbolic links: %v", err)
		}
	}
	if err := Write(first, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "dotfiles", "f")); err != nil || string(data) != "new" {
		t.Errorf("the target holds %q, %v", data, err)
	}
	for _, link := range []string{first, second} {
		if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s was replaced: %v %v", link, info, err)
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("four"), 0o600); err != nil {
		t.Fatal(err)
	}
	for limit, want := range map[int]string{10: "four", 4: "four", 3: "four", 1: "fo"} {
		if data, err := Read(path, limit); err != nil || string(data) != want {
			t.Errorf("with a limit of %d it read %q, %v", limit, data, err)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none"), 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if data, err := Read("/dev/zero", 1000); err != nil || len(data) != 1001 {
		t.Errorf("of what has no end it read %d bytes, %v", len(data), err)
	}
}

func TestWrite_Errors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := Write(filepath.Join(dir, "none", "f"), nil, 0o600); err == nil {
		t.Error("wrote into a folder that does not exist")
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink(loop, loop); err == nil && Write(loop, nil, 0o600) == nil {
		t.Error("followed a loop of links")
	}
}
