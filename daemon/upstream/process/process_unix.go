//go:build unix

package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// processGroup is a child and its descendants: the child's process group, and
// what of its descendants has left the group (see descendants).
type processGroup struct {
	pid int
	// mark is in the environment of all descendants, see markLineage.
	mark string
	// cgroup holds all descendants, where there is one.
	cgroup cgroup
	// mu guards strays and released.
	mu sync.Mutex
	// strays are descendants seen outside the group.
	strays []stray
	// released is set once the group must not be signalled any more.
	released bool
}

// start starts cmd as the leader of a new process group.
func (g *processGroup) start(cmd *exec.Cmd) error {
	watch()
	attr := syscall.SysProcAttr{Setpgid: true}
	dieWithParent(&attr)
	g.mark = markLineage(cmd)
	g.cgroup = newCgroup(g.mark)
	cmd.SysProcAttr = new(attr)
	entered, enters := g.cgroup.enter(cmd.SysProcAttr)
	err := cmd.Start()
	entered()
	if err != nil {
		g.cgroup.remove()
		g.cgroup = cgroup{}
	}
	if err != nil && enters { // not every group that can be made can be entered
		*cmd = exec.Cmd{
			Path: cmd.Path, Args: cmd.Args, Env: cmd.Env, Dir: cmd.Dir,
			Stdin: cmd.Stdin, Stdout: cmd.Stdout, Stderr: cmd.Stderr, SysProcAttr: new(attr),
		}
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	g.pid = cmd.Process.Pid
	return nil
}

// note looks for strays. It has to be called while the child lives: some are
// recognised by their parents only.
func (g *processGroup) note() {
	strays := distinct(descendantsOutside(g.pid), ofLineage(g.mark), g.cgroup.outside(g.pid))
	g.mu.Lock()
	defer g.mu.Unlock()
	g.strays = strays
}

// distinct joins lists of strays: who is in two gets a signal once.
func distinct(lists ...[]stray) []stray {
	var all []stray
	for _, s := range slices.Concat(lists...) {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// noteOrphans looks for strays once the child is gone.
func (g *processGroup) noteOrphans() {
	orphans := ofLineage(g.mark)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.strays = distinct(g.strays, orphans)
}

// terminate asks the group and the strays to end.
func (g *processGroup) terminate() {
	g.signal(syscall.SIGTERM)
}

// kill ends the group, the strays and all that is in the cgroup at once.
func (g *processGroup) kill() {
	g.signal(syscall.SIGKILL)
	g.cgroup.kill()
}

func (g *processGroup) signal(sig syscall.Signal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.released {
		return
	}
	// ESRCH means that nobody is left, which is what is wanted.
	_ = syscall.Kill(-g.pid, sig)
	for _, s := range g.strays {
		s.signal(sig)
	}
}

// release forgets the group: its number may be given to somebody else.
func (g *processGroup) release() {
	g.mu.Lock()
	g.released = true
	g.mu.Unlock()
	g.cgroup.remove()
}

// NewCommand builds the command of a stdio server. env decides where the
// program is looked up: a PATH in the entry's env is meant to be used.
func NewCommand(command string, args []string, dir string, env []string) (*exec.Cmd, error) {
	path, err := findProgram(command, dir, lookupEnv(env, "PATH"))
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{
		Path: path,
		Args: append([]string{command}, args...),
		Env:  env,
		Dir:  dir,
	}
	return cmd, nil
}

// findProgram resolves a command the way execvp does for the child.
func findProgram(command, dir, path string) (string, error) {
	if strings.Contains(command, "/") {
		if !filepath.IsAbs(command) {
			command = filepath.Join(dir, command)
		}
		absolute, err := filepath.Abs(command)
		if err != nil {
			return "", fmt.Errorf("resolve %s: %w", command, err)
		}
		return absolute, executable(absolute)
	}
	for _, folder := range filepath.SplitList(path) {
		if folder == "" || !filepath.IsAbs(folder) {
			// A relative entry of PATH would run what lies in the workspace.
			continue
		}
		candidate := filepath.Join(folder, command)
		if executable(candidate) == nil {
			return candidate, nil
		}
	}
	return "", fmt.Errorf("%q: %w", command, exec.ErrNotFound)
}

// lookupEnv finds a variable in KEY=value pairs.
func lookupEnv(env []string, name string) string {
	for _, pair := range env {
		if key, value, _ := strings.Cut(pair, "="); key == name {
			return value
		}
	}
	return ""
}

func executable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%q: %w", path, exec.ErrNotFound)
	case err != nil:
		return err
	case info.IsDir() || info.Mode()&0o111 == 0:
		return fmt.Errorf("%q is not an executable file: %w", path, fs.ErrPermission)
	}
	return nil
}

// FindProgram returns the path of the program that a command starts, from a
// working directory and with the environment of a server's entry.
func FindProgram(command, dir string, env map[string]string) (string, error) {
	path, given := env["PATH"]
	if !given {
		path = os.Getenv("PATH")
	}
	return findProgram(command, dir, path)
}

// CommandLine returns the command line that replaces a command's arguments: none
// but on Windows.
func CommandLine(*exec.Cmd) string { return "" }

// SetCommandLine makes a command have what [CommandLine] has returned.
func SetCommandLine(*exec.Cmd, string) {}
