package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-mcp/winnow/protocol"
)

// probeTime bounds the trial of a sandbox, which takes milliseconds.
const probeTime = 10 * time.Second

// withoutSandbox is the next step where there can be none.
const withoutSandbox = `take "sandbox" out of the entry: the server then has all the rights that you have.`

// sandboxed returns a command that runs cmd in a sandbox. It never returns one
// that runs it without: what is missing is an error that a retry does not cure.
func sandboxed(cmd *exec.Cmd, s *protocol.SandboxEntry) (*exec.Cmd, error) {
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, &permanentError{
			err:  errors.New("a sandbox needs bubblewrap, and there is no program bwrap"),
			next: "Install the package bubblewrap, or " + withoutSandbox,
		}
	}
	if err := probe(bwrap); err != nil {
		return nil, err
	}
	args, err := sandboxArgs(cmd, s)
	if err != nil {
		return nil, err
	}
	limits, err := limitArgs(s)
	if err != nil {
		return nil, err
	}
	args = append(append(args, "--"), limits...)
	args = append(append(args, cmd.Path), cmd.Args[1:]...)
	return &exec.Cmd{Path: bwrap, Args: append([]string{"bwrap"}, args...), Env: cmd.Env, Dir: cmd.Dir}, nil
}

// probe tries whether this machine allows a sandbox: many forbid user namespaces
// to all but some programs.
func probe(bwrap string) error {
	ctx, cancel := context.WithTimeout(context.Background(), probeTime)
	defer cancel()
	trial := exec.CommandContext(ctx, bwrap, append(isolation(), "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--", "true")...)
	said, err := trial.CombinedOutput()
	if err == nil {
		return nil
	}
	why := strings.TrimSpace(string(bytes.ToValidUTF8(said, nil)))
	return &permanentError{
		err:  fmt.Errorf("bubblewrap cannot make a sandbox on this machine (%w): %s", err, why),
		next: "Let bwrap use user namespaces (sysctl kernel.unprivileged_userns_clone, or its AppArmor profile), or " + withoutSandbox,
	}
}

// isolation are what every sandbox is cut off from.
func isolation() []string {
	return []string{
		"--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--unshare-net",
		"--die-with-parent", "--new-session", "--cap-drop", "ALL",
	}
}

// systemFolders hold programs, their libraries and what they read of the
// system. /etc has no secrets that the user may read besides the user's own
// programs.
func systemFolders() []string {
	return []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt", "/nix/store", "/gnu/store"}
}

// sandboxArgs are the arguments of bwrap before the command. A later mount lies
// over an earlier one.
func sandboxArgs(cmd *exec.Cmd, s *protocol.SandboxEntry) ([]string, error) {
	args := isolation()
	if s.Network {
		args = append(args, "--share-net")
	}
	for _, folder := range systemFolders() {
		args = append(args, "--ro-bind-try", folder, folder)
	}
	if s.Network { // where /etc/resolv.conf may lead to
		args = append(args, "--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve")
	}
	args = append(args, "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp")
	home := lookupEnv(cmd.Env, "HOME")
	if filepath.IsAbs(home) {
		args = append(args, "--tmpfs", filepath.Clean(home))
	}
	for _, folder := range programFolders(cmd.Path) {
		args = append(args, "--ro-bind", folder, folder)
	}
	folder := cmd.Dir
	if folder == "" {
		folder = "/" // not the daemon's own, which nobody has chosen
	}
	if folder != "/" && !within(home, folder) { // what is hidden stays hidden
		args = append(args, "--ro-bind", folder, folder)
	}
	for _, root := range []struct {
		key, option string
		paths       []string
	}{{"read", "--ro-bind", s.Read}, {"write", "--bind", s.Write}} {
		for _, path := range root.paths {
			if _, err := os.Stat(path); err != nil {
				return nil, &permanentError{
					err:  fmt.Errorf("a path of its sandbox cannot be used: %w", err),
					next: fmt.Sprintf("Correct %q in its \"sandbox\", or make what it names.", root.key),
				}
			}
			args = append(args, root.option, path, path)
		}
	}
	return append(args, "--chdir", folder), nil
}

// programFolders are where a program is, and where it is that a link to it leads
// to.
func programFolders(path string) []string {
	folders := []string{filepath.Dir(path)}
	if real, err := filepath.EvalSymlinks(path); err == nil && filepath.Dir(real) != folders[0] {
		folders = append(folders, filepath.Dir(real))
	}
	return folders
}

// within reports whether a path is a folder or in it.
func within(path, folder string) bool {
	relative, err := filepath.Rel(folder, path)
	return path != "" && err == nil && relative != ".." && !strings.HasPrefix(relative, "../")
}

// limitArgs are the program, and its arguments, that limits what the command may
// use: util-linux's prlimit, inside the sandbox. RLIMIT_DATA counts what a process
// can write to, where RLIMIT_AS would count the address space that runtimes
// reserve. RLIMIT_NPROC counts what the user runs in the sandbox's own user
// namespace; the kernel exempts root, and a limit that does not hold is refused.
func limitArgs(s *protocol.SandboxEntry) ([]string, error) {
	if s.MemoryMB == 0 && s.Processes == 0 {
		return nil, nil
	}
	if s.Processes > 0 && os.Geteuid() == 0 {
		return nil, &permanentError{
			err:  errors.New(`"processes" of its sandbox has no effect for root`),
			next: "Take it out, or run Winnow as another user.",
		}
	}
	prlimit, err := exec.LookPath("prlimit")
	if err != nil {
		return nil, &permanentError{
			err:  errors.New("the limits of a sandbox need the program prlimit, and it is not there"),
			next: `Install the package util-linux, or take "memoryMB" and "processes" out of its "sandbox".`,
		}
	}
	args := []string{prlimit}
	if s.MemoryMB > 0 {
		args = append(args, "--data="+strconv.Itoa(s.MemoryMB<<20))
	}
	if s.Processes > 0 {
		args = append(args, "--nproc="+strconv.Itoa(s.Processes))
	}
	return append(args, "--"), nil
}
