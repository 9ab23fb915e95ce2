package socket

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// nobody is the second user.
const nobody = 65534

// stranger is the second user's process. It tries to connect to a socket, or
// lies in wait at it, and prints what came of it.
func stranger() int {
	path := os.Getenv(strangerVariable)
	if at, ok := strings.CutPrefix(path, "lurk:"); ok {
		listener, err := net.Listen("unix", at)
		if err != nil {
			fmt.Println("listen:", err)
			return 1
		}
		fmt.Println("ready")
		_, _ = io.ReadAll(os.Stdin)
		_ = listener.Close()
		return 0
	}
	c, err := net.Dial("unix", path)
	if err != nil {
		fmt.Println("dial:", err)
		return 0
	}
	_, _ = c.Write([]byte("let me in\n"))
	answer, err := io.ReadAll(c)
	fmt.Printf("got %d bytes, %v\n", len(answer), err)
	return 0
}

// asNobody returns the command of a second user's process. It takes root to
// make one.
func asNobody(t *testing.T, what string) *exec.Cmd {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can act as a second user")
	}
	// The second user has to be able to read the program.
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(public(t), "stranger")
	raw, err := os.ReadFile(self)
	if err == nil {
		// A child that another test forks meanwhile would have the program open for
		// writing until it runs its own: until then nobody can run this one.
		syscall.ForkLock.RLock()
		err = os.WriteFile(program, raw, 0o755) //nolint:gosec // the second user runs it
		syscall.ForkLock.RUnlock()
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = []string{strangerVariable + "=" + what}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	return cmd
}

// public is a folder that everybody may enter.
func public(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "winnow-door-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil { //nolint:gosec // the point of the test
		t.Fatal(err)
	}
	return dir
}

// The folder keeps a second user out.
func TestAttack_aSecondUserCannotReachTheSocket(t *testing.T) {
	t.Parallel()
	runtimeDir := public(t)
	p := Place{Environ: func(string) (string, bool) { return runtimeDir, true }}
	d := open(t, p, t.TempDir())
	out, err := asNobody(t, d.path).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "permission denied") {
		t.Errorf("%v: %s", err, out)
	}
}

// Where the folder does not, as in one of another file system's rights, the
// socket itself does.
func TestAttack_aSecondUserIsNotLetIn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(public(t), "open.sock")
	d, err := listenAt(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o777); err != nil { //nolint:gosec // the point of the test
		t.Fatal(err)
	}
	served := make(chan struct{})
	visited := false
	go func() {
		defer close(served)
		d.Serve(slog.New(slog.DiscardHandler), func(net.Conn) { visited = true })
	}()
	out, err := asNobody(t, path).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "got 0 bytes") {
		t.Errorf("%v: %s", err, out)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	<-served
	if visited {
		t.Error("a second user was let in")
	}
}

// A second user lies in wait where the socket would be.
func TestAttack_aSecondUsersSocketIsNotJoined(t *testing.T) {
	t.Parallel()
	workspace := t.TempDir()
	runtimeDir := public(t)
	p := Place{Environ: func(string) (string, bool) { return runtimeDir, true }}
	path, err := p.socket(workspace)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(path)
	if err := errors.Join(os.Mkdir(dir, 0o777), os.Chmod(dir, 0o777)); err != nil { //nolint:gosec // the point of the test
		t.Fatal(err)
	}
	cmd := asNobody(t, "lurk:"+path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, len("ready"))
	if _, err := io.ReadFull(out, line); err != nil || string(line) != "ready" {
		t.Fatalf("%q, %v", line, err)
	}
	// Their folder, our folder that they may enter, and past the folder.
	for name, prepare := range map[string]func() error{
		"1 their folder": func() error { return errors.Join(os.Chown(dir, nobody, nobody), os.Chmod(dir, 0o700)) },
		"2 open folder":  func() error { return errors.Join(os.Chown(dir, 0, 0), os.Chmod(dir, 0o777)) }, //nolint:gosec // the point
	} {
		if err := prepare(); err != nil {
			t.Fatal(err)
		}
		if _, err := Dial(p, workspace); !errors.Is(err, errPrivate) {
			t.Errorf("%s: joined, %v", name, err)
		}
		if _, err := Listen(p, workspace); !errors.Is(err, errPrivate) {
			t.Errorf("%s: opened, %v", name, err)
		}
	}
	if c, err := dial(path); !errors.Is(err, errPrivate) {
		t.Errorf("past the folder: %v, %v", c, err)
	}
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
