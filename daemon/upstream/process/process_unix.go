//go:build unix

package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
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
	// mu guards strays and released.
	mu sync.Mutex
	// strays are descendants seen outside the group.
	strays []stray
	// released is set once the group must not be signalled any more.
	released bool
}

// start starts cmd as the leader of a new process group.
func (g *processGroup) start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
	g.mark = markLineage(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	g.pid = cmd.Process.Pid
	return nil
}

// note looks for strays. It has to be called while the child lives: some are
// recognised by their parents only.
func (g *processGroup) note() {
	strays := append(descendantsOutside(g.pid), ofLineage(g.mark)...)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.strays = strays
}

// noteOrphans looks for strays once the child is gone.
func (g *processGroup) noteOrphans() {
	orphans := ofLineage(g.mark)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.strays = append(g.strays, orphans...)
}

// terminate asks the group and the strays to end.
func (g *processGroup) terminate() {
	g.signal(syscall.SIGTERM)
}

// kill ends the group and the strays at once.
func (g *processGroup) kill() {
	g.signal(syscall.SIGKILL)
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
	defer g.mu.Unlock()
	g.released = true
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
