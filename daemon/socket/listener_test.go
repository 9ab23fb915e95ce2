package socket

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv(strangerVariable) != "" {
		os.Exit(stranger())
	}
	goleak.VerifyTestMain(m)
}

// place is a place of the test's own.
func place(t *testing.T) Place {
	dir := t.TempDir()
	return Place{Environ: func(name string) (string, bool) { return dir, name == "XDG_RUNTIME_DIR" }}
}

// open opens a socket that answers what it hears, in capitals.
func open(t *testing.T, p Place, workspace string) *Listener {
	t.Helper()
	d, err := Listen(p, workspace)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		d.Serve(slog.New(slog.DiscardHandler), func(c net.Conn) {
			heard, _ := io.ReadAll(c)
			_, _ = c.Write(bytes.ToUpper(heard))
		})
	}()
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		<-served
	})
	return d
}

func TestDoor_joins(t *testing.T) {
	t.Parallel()
	p, workspace := place(t), t.TempDir()
	if _, err := Dial(p, workspace); !errors.Is(err, ErrNoDaemon) {
		t.Fatalf("before anybody is there: %v", err)
	}
	open(t, p, workspace)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(workspace, link); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{workspace, workspace + "/.", link} {
		c, err := Dial(p, at)
		if err != nil {
			t.Fatalf("%s: %v", at, err)
		}
		_, err = c.Write([]byte("hello"))
		if err := errors.Join(err, c.CloseWrite()); err != nil {
			t.Fatalf("%s: %v", at, err)
		}
		said, err := io.ReadAll(c)
		if err := errors.Join(err, c.Close()); err != nil || string(said) != "HELLO" {
			t.Errorf("%s: %q, %v", at, said, err)
		}
	}
	if _, err := Dial(p, t.TempDir()); !errors.Is(err, ErrNoDaemon) {
		t.Errorf("another workspace: %v", err)
	}
	if _, err := Listen(p, workspace); !errors.Is(err, ErrInUse) {
		t.Errorf("a second daemon: %v", err)
	}
}

// A daemon that was killed leaves its socket behind.
func TestDoor_takesOverAStaleSocket(t *testing.T) {
	t.Parallel()
	p, workspace := place(t), t.TempDir()
	path, err := p.socket(workspace)
	if err != nil {
		t.Fatal(err)
	}
	if err := makeDir(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	dead, err := listenAt(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := dead.listener.Close(); err != nil { // without removing the socket
		t.Fatal(err)
	}
	if _, err := Dial(p, workspace); !errors.Is(err, ErrNoDaemon) {
		t.Errorf("%v", err)
	}
	open(t, p, workspace)
	if c, err := Dial(p, workspace); err != nil {
		t.Error(err)
	} else {
		_ = c.Close()
	}
	if err := dead.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	if _, err := os.Lstat(path); err != nil {
		t.Errorf("the end of a dead listener removed the living one: %v", err)
	}
}

func TestDoor_closeEndsVisits(t *testing.T) {
	t.Parallel()
	p, workspace := place(t), t.TempDir()
	d, err := Listen(p, workspace)
	if err != nil {
		t.Fatal(err)
	}
	inside := make(chan struct{})
	served := make(chan struct{})
	go func() {
		defer close(served)
		d.Serve(slog.New(slog.DiscardHandler), func(c net.Conn) {
			close(inside)
			_, _ = io.ReadAll(c)
		})
	}()
	c, err := Dial(p, workspace)
	if err != nil {
		t.Fatal(err)
	}
	<-inside
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	<-served
	if said, err := io.ReadAll(c); err != nil || len(said) > 0 {
		t.Errorf("the client reads %q, %v", said, err)
	}
	_ = c.Close()
}

func TestDoor_refusesAFolderThatIsNotPrivate(t *testing.T) {
	t.Parallel()
	workspace := t.TempDir()
	for name, spoil := range map[string]func(dir string) error{
		"others may enter": func(dir string) error {
			return errors.Join(os.MkdirAll(dir, 0o700), os.Chmod(dir, 0o755)) //nolint:gosec // the point of the test
		},
		"a link": func(dir string) error {
			return errors.Join(os.MkdirAll(filepath.Dir(dir), 0o700), os.Symlink(workspace, dir))
		},
		"a file": func(dir string) error {
			return errors.Join(os.MkdirAll(filepath.Dir(dir), 0o700), os.WriteFile(dir, nil, 0o600))
		},
	} {
		p := place(t)
		dir, err := p.dir()
		if err != nil {
			t.Fatal(err)
		}
		if err := spoil(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := Listen(p, workspace); err == nil {
			t.Errorf("%s: a daemon listens there", name)
		}
		if _, err := Dial(p, workspace); err == nil || errors.Is(err, ErrNoDaemon) {
			t.Errorf("%s: a client gets %v", name, err)
		}
	}
}

func TestPlace_fallsBackToTheCache(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"", "relative"} {
		dir, err := Place{Environ: func(string) (string, bool) { return value, true }}.dir()
		if err != nil || !filepath.IsAbs(dir) || !strings.HasSuffix(dir, filepath.Join("winnow", "run")) {
			t.Errorf("%q: %s, %v", value, dir, err)
		}
	}
	if _, err := Dial(place(t), "/no/such/workspace"); err == nil || errors.Is(err, ErrNoDaemon) {
		t.Errorf("a workspace that does not exist: %v", err)
	}
}
