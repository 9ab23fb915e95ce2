// Package pgtest gives tests Debian's PostgreSQL: a cluster a package, a schema a
// test, reached by a socket only.
package pgtest

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// Cluster is a running PostgreSQL; nil where none is installed.
type Cluster struct {
	// Dir holds its data, and its socket.
	Dir     string
	bin     string
	as      *syscall.SysProcAttr
	schemas atomic.Int64
}

// ErrNone is returned where PostgreSQL is not installed.
var ErrNone = errors.New("PostgreSQL is not installed (Debian: apt-get install postgresql)")

// Start makes a cluster and starts it.
func Start() (*Cluster, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return nil, ErrNone
	}
	slices.Sort(found)
	c := &Cluster{bin: filepath.Dir(found[len(found)-1])}
	if c.Dir, err = os.MkdirTemp("", "winnow-pg-"); err != nil {
		return nil, err
	}
	if os.Getuid() == 0 { // initdb refuses root
		if err := c.become("postgres"); err != nil {
			return nil, err
		}
	}
	if err := c.run("initdb", "-D", c.data(), "-U", "postgres", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C"); err != nil {
		return nil, err
	}
	return c, c.Resume()
}

func (c *Cluster) data() string { return filepath.Join(c.Dir, "data") }

// Resume starts the cluster, and returns when it can be reached.
func (c *Cluster) Resume() error {
	return c.run("pg_ctl", "-D", c.data(), "-w", "-t", "60", "-l", filepath.Join(c.Dir, "log"),
		"-o", fmt.Sprintf("-F -k %s -c listen_addresses='' -c max_connections=200", c.Dir), "start")
}

// Halt stops the cluster as a crash does.
func (c *Cluster) Halt() error {
	return c.run("pg_ctl", "-D", c.data(), "-m", "immediate", "-w", "stop")
}

// End stops the cluster and deletes it.
func (c *Cluster) End() error { return errors.Join(c.Halt(), os.RemoveAll(c.Dir)) }

// Main runs a package's tests with a cluster, and returns the exit code. c is set
// before.
func Main(m *testing.M, c **Cluster) (code int) {
	started, err := Start()
	if err != nil && !errors.Is(err, ErrNone) {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if *c = started; err == nil {
		defer func() {
			if err := started.End(); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}()
	}
	return m.Run()
}

// New returns the address of the cluster and a schema of a test's own.
func (c *Cluster) New(t testing.TB) (address, schema string) {
	t.Helper()
	if c == nil {
		if os.Getenv("CI") != "" && runtime.GOOS == "linux" { // .ci/run installs it
			t.Fatal(ErrNone)
		}
		t.Skip(ErrNone)
	}
	return "postgres://postgres@/postgres?host=" + url.QueryEscape(c.Dir), fmt.Sprintf("test_%d", c.schemas.Add(1))
}

// run runs a program of PostgreSQL's.
func (c *Cluster) run(name string, args ...string) error {
	cmd := exec.Command(filepath.Join(c.bin, name), args...)
	cmd.SysProcAttr, cmd.Dir = c.as, c.Dir
	log, err := os.CreateTemp(c.Dir, name+"-")
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	cmd.Stdout, cmd.Stderr = log, log // a pipe would be inherited by the server
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(log.Name())
		return fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(string(said)))
	}
	return nil
}
