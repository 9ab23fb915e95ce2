package config

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestWriteFile(t *testing.T) {
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
	if err := writeFile(link, []byte("new"), 0o600); err != nil {
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

func TestWriteFile_Errors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := writeFile(filepath.Join(dir, "none", "f"), nil, 0o600); err == nil {
		t.Error("wrote into a folder that does not exist")
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink(loop, loop); err == nil && writeFile(loop, nil, 0o600) == nil {
		t.Error("followed a loop of links")
	}
}
