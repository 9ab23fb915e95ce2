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

// processGroup is the process group of a child, and the descendants that have left the
// group.
type processGroup struct {
	pid int
	// mark is in the environment of all descendants; see markLineage.
	mark string
	// cgroup contains all descendants, if the system supports it.
	cgroup cgroup
	// mu guards strays and released.
	mu sync.Mutex
	// strays are descendants outside the group.
	strays []stray
	// released is set when the group must not be signalled any more.
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
	if err != nil && enters { // a cgroup may allow its creation but not entering it
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

// note records the strays. Call it while the child lives: some are found only through
// their parents.
func (g *processGroup) note() {
	strays := distinct(descendantsOutside(g.pid), ofLineage(g.mark), g.cgroup.outside(g.pid))
	g.mu.Lock()
	defer g.mu.Unlock()
	g.strays = strays
}

// distinct joins lists of strays; each of them is in the result once.
func distinct(lists ...[]stray) []stray {
	var all []stray
	for _, s := range slices.Concat(lists...) {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// noteOrphans records the strays after the child's exit.
func (g *processGroup) noteOrphans() {
	orphans := ofLineage(g.mark)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.strays = distinct(g.strays, orphans)
}

// terminate sends SIGTERM to the group and the strays.
func (g *processGroup) terminate() {
	g.signal(syscall.SIGTERM)
}

// kill kills the group, the strays and all processes in the cgroup.
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
	// ESRCH means that no process is left.
	_ = syscall.Kill(-g.pid, sig)
	for _, s := range g.strays {
		s.signal(sig)
	}
}

// release ends signalling: the number of the group may be reused.
func (g *processGroup) release() {
	g.mu.Lock()
	g.released = true
	g.mu.Unlock()
	g.cgroup.remove()
}

// NewCommand returns the command of a stdio server. The program is looked up in env's
// PATH.
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

// findProgram resolves a command as execvp does in the child, except that it skips
// relative entries of path.
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
			// A relative entry of PATH would run files of the workspace.
			continue
		}
		candidate := filepath.Join(folder, command)
		if executable(candidate) == nil {
			return candidate, nil
		}
	}
	return "", fmt.Errorf("%q: %w", command, exec.ErrNotFound)
}

// lookupEnv returns a variable of KEY=value pairs, or "".
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

// FindProgram returns the path of the program that a command starts, given a working
// directory and the env of a server's entry. Without a PATH there, the daemon's is used.
func FindProgram(command, dir string, env map[string]string) (string, error) {
	path, given := env["PATH"]
	if !given {
		path = os.Getenv("PATH")
	}
	return findProgram(command, dir, path)
}

// CommandLine returns the command line that replaces a command's arguments. It is empty
// except on Windows.
func CommandLine(*exec.Cmd) string { return "" }

// SetCommandLine sets a command line returned by [CommandLine].
func SetCommandLine(*exec.Cmd, string) {}
