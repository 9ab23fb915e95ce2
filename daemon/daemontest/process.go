package daemontest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// module is Winnow's module path.
const module = "github.com/winnow-mcp/winnow"

// Binary builds winnowd into a folder, and returns its path. It builds in winnowd's own
// module, as released, even for tests of another one.
func Binary(dir string) (string, error) {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return "", fmt.Errorf("find %s: %w", module, err)
	}
	path := filepath.Join(dir, "winnowd")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	build := exec.Command("go", "build", "-o", path, module+"/daemon/cmd/winnowd")
	build.Dir = strings.TrimSpace(string(root))
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build winnowd: %w\n%s", err, out)
	}
	return path, nil
}

// Start runs winnowd as a process, over real pipes.
func Start(t testing.TB, binary string, o Options) *Host {
	t.Helper()
	o = o.withDefaults(t)
	cmd := exec.Command(binary, "-log", "debug")
	cmd.Env = o.Environment
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	// A separate pipe, because Wait closes that of os/exec while it is read.
	out, outWriter, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = outWriter
	h := newHost(t, o, in, out)
	cmd.Stderr = h.log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = outWriter.Close()
	h.PID = cmd.Process.Pid
	h.hangUp = func() { _ = out.Close() }
	h.wait = sync.OnceValue(func() error {
		err := cmd.Wait()
		_ = out.Close()
		return err
	})
	t.Cleanup(h.Close)
	return h
}
