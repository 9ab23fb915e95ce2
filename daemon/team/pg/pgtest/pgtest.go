// Package pgtest provides tests with Debian's PostgreSQL: a cluster per package and a
// schema per test, reached by a socket only.
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

// Cluster is a running PostgreSQL; nil if none is installed.
type Cluster struct {
	// Dir holds its data and its socket.
	Dir     string
	bin     string
	as      *syscall.SysProcAttr
	schemas atomic.Int64
	standby *Cluster // nil: it has none
}

// ErrNone is returned if PostgreSQL is not installed.
var ErrNone = errors.New("PostgreSQL is not installed (Debian: apt-get install postgresql)")

// Start creates a cluster in the folder of temporary files, and starts it.
func Start() (*Cluster, error) { return StartIn("", nil) }

// StartIn is Start in a given folder, with additional lines of postgresql.conf.
func StartIn(dir string, config []string) (*Cluster, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return nil, ErrNone
	}
	slices.Sort(found)
	c := &Cluster{bin: filepath.Dir(found[len(found)-1])}
	if err := c.home(dir); err != nil {
		return nil, err
	}
	err = c.run("initdb", "-D", c.data(), "-U", "postgres", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C")
	if err == nil {
		err = c.Configure(config...)
	}
	if err != nil {
		return nil, err
	}
	return c, c.Resume()
}

// home creates the cluster's folder.
func (c *Cluster) home(in string) (err error) {
	if c.Dir, err = os.MkdirTemp(in, "winnow-pg-"); err == nil && os.Getuid() == 0 { // initdb refuses root
		err = c.become("postgres")
	}
	return err
}

// Configure adds lines to postgresql.conf, which take effect at the next start.
func (c *Cluster) Configure(lines ...string) error {
	f, err := os.OpenFile(filepath.Join(c.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, strings.Join(lines, "\n"))
	return errors.Join(err, f.Close())
}

// Standby creates and starts a second cluster that follows this one by synchronous
// streaming replication: from then on, every commit waits for it.
func (c *Cluster) Standby() (next *Cluster, err error) {
	next = &Cluster{bin: c.bin}
	if err := next.home(""); err != nil {
		return nil, err
	}
	c.standby = next
	if err := next.run("pg_basebackup", "-D", next.data(), "-h", c.Dir, "-U", "postgres", "-R", "--no-sync"); err != nil {
		return nil, err
	}
	if err := next.Resume(); err != nil {
		return nil, err
	}
	if err := c.Configure("synchronous_standby_names = '*'", "synchronous_commit = remote_apply"); err != nil {
		return nil, err
	}
	return next, c.run("pg_ctl", "-D", c.data(), "reload")
}

// Promote makes a standby writable.
func (c *Cluster) Promote() error { return c.run("pg_ctl", "-D", c.data(), "-w", "promote") }

// Exec runs SQL statements.
func (c *Cluster) Exec(sql string) error {
	return c.run("psql", "-h", c.Dir, "-U", "postgres", "-v", "ON_ERROR_STOP=1", "-c", sql)
}

func (c *Cluster) data() string { return filepath.Join(c.Dir, "data") }

// Resume starts the cluster, and returns once it accepts connections.
func (c *Cluster) Resume() error {
	return c.run("pg_ctl", "-D", c.data(), "-w", "-t", "60", "-l", filepath.Join(c.Dir, "log"),
		"-o", fmt.Sprintf("-F -k %s -c listen_addresses='' -c max_connections=200", c.Dir), "start")
}

// Halt stops the cluster as in a crash.
func (c *Cluster) Halt() error {
	return c.run("pg_ctl", "-D", c.data(), "-m", "immediate", "-w", "stop")
}

// End stops and deletes the cluster.
func (c *Cluster) End() error { return errors.Join(c.Halt(), os.RemoveAll(c.Dir)) }

// Main runs a package's tests with a cluster, which it assigns to c first, and returns
// the exit code.
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

// New returns the address of the cluster, also valid for a promoted standby, and a schema
// for the test.
func (c *Cluster) New(t testing.TB) (address, schema string) {
	t.Helper()
	if c == nil {
		if os.Getenv("CI") != "" && runtime.GOOS == "linux" { // .ci/run installs it
			t.Fatal(ErrNone)
		}
		t.Skip(ErrNone)
	}
	hosts, more := c.Dir, ""
	if c.standby != nil {
		hosts, more = hosts+","+c.standby.Dir, "&target_session_attrs=read-write"
	}
	return "postgres://postgres@/postgres?host=" + url.QueryEscape(hosts) + more, fmt.Sprintf("test_%d", c.schemas.Add(1))
}

// run runs a program of PostgreSQL.
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
