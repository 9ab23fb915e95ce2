package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/upstream/fault"
	"github.com/winnow-mcp/winnow/protocol"
)

// probeTime bounds the trial run of a sandbox, which takes milliseconds.
const probeTime = 10 * time.Second

// withoutSandbox is the next step if no sandbox is possible.
const withoutSandbox = `take "sandbox" out of the entry: the server then has all the rights that you have.`

// Sandboxes wraps commands in sandboxes. The zero value is ready to use.
type Sandboxes struct {
	mu sync.Mutex
	// able holds the bwrap programs whose trial run succeeded. A later failure shows when
	// the server starts.
	able map[string]bool
}

// Command returns a command that runs cmd in a sandbox. It never falls back to no
// sandbox: if something is missing, it returns a permanent [fault.Failure].
func (b *Sandboxes) Command(ctx context.Context, cmd *exec.Cmd, s *protocol.SandboxEntry) (*exec.Cmd, error) {
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, &fault.Failure{
			Permanent: true,
			Err:       errors.New("a sandbox needs bubblewrap, and there is no program bwrap"),
			Next:      "Install the package bubblewrap, or " + withoutSandbox,
		}
	}
	if err := b.probe(ctx, bwrap); err != nil {
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

// probe checks, until it has once succeeded, that this machine allows a sandbox and that
// the sandbox isolates. Many machines allow user namespaces to some programs only, and
// root keeps root's access to files that the kernel grants by owner.
func (b *Sandboxes) probe(ctx context.Context, bwrap string) error {
	b.mu.Lock()
	able := b.able[bwrap]
	b.mu.Unlock()
	if able {
		return nil
	}
	trying, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	args := append(append(isolation(), "--ro-bind", "/", "/"), ownSystem()...)
	trial := exec.CommandContext(trying, bwrap, append(args, "--", "cat", "/proc/self/status", "/proc/self/mountinfo")...)
	said, err := trial.CombinedOutput()
	if err == nil {
		said, err = nil, holds(said)
	}
	switch {
	case err == nil:
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.able == nil {
			b.able = map[string]bool{}
		}
		b.able[bwrap] = true
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("try a sandbox: %w", context.Cause(ctx)) // cancelled, so nothing is known of the machine
	}
	why := strings.TrimSpace(string(bytes.ToValidUTF8(said, nil)))
	return &fault.Failure{
		Permanent: true,
		Err:       fmt.Errorf("bubblewrap cannot make a sandbox that holds on this machine (%w): %s", err, why),
		Next:      "Let bwrap use user namespaces (sysctl kernel.unprivileged_userns_clone, or its AppArmor profile), or " + withoutSandbox,
	}
}

// isolation returns the isolating arguments of every sandbox. Root requires a user
// namespace: without one its capabilities are those of the machine.
func isolation() []string {
	users := "--unshare-user-try"
	if os.Geteuid() == 0 {
		users = "--unshare-user"
	}
	return []string{
		users, "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--unshare-net",
		"--die-with-parent", "--new-session", "--cap-drop", "ALL",
	}
}

// ownSystem returns the arguments for a sandbox's own /proc and /dev. Parts of /proc that
// configure the kernel are read-only: root could write without a capability.
func ownSystem() []string {
	args := []string{"--proc", "/proc", "--dev", "/dev"}
	for _, of := range []string{
		"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/proc/scsi", "/proc/mtrr",
		"/proc/dynamic_debug", "/proc/asound", "/proc/driver",
	} {
		args = append(args, "--ro-bind-try", of, of)
	}
	return args
}

// holds checks /proc/self/status and mountinfo of a process in a sandbox. It returns an
// error if the process has a capability or could configure the kernel.
func holds(seen []byte) error {
	fixed := false
	for line := range strings.Lines(string(seen)) {
		fields := strings.Fields(line)
		if len(fields) == 2 && (fields[0] == "CapPrm:" || fields[0] == "CapEff:") && strings.Trim(fields[1], "0") != "" {
			return errors.New("a program would keep capabilities in it")
		}
		const point, options = 4, 5 // see proc(5)
		if len(fields) > options && fields[point] == "/proc/sys" {
			fixed = strings.HasPrefix(fields[options]+",", "ro,")
		}
	}
	if !fixed {
		return errors.New("a program could write to /proc/sys in it")
	}
	return nil
}

// secretFiles returns the arguments that hide files of system folders that are not
// readable for everybody, such as /etc/shadow and the host keys of SSH. Root, or a member
// of a group, could read them.
func secretFiles(folders ...string) []string {
	const everybody, everybodyEnters = 0o004, 0o005
	var args []string
	for _, folder := range folders {
		// What cannot be read is hidden already, or gone.
		_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.Type()&fs.ModeSymlink != 0 {
				return nil
			}
			info, err := entry.Info()
			switch {
			case err != nil:
			case entry.IsDir() && info.Mode()&everybodyEnters != everybodyEnters:
				args = append(args, "--tmpfs", path)
				return fs.SkipDir
			case !entry.IsDir() && info.Mode()&everybody == 0:
				args = append(args, "--ro-bind", os.DevNull, path)
			}
			return nil
		})
	}
	return args
}

// systemFolders returns the folders of programs, libraries and system configuration.
func systemFolders() []string {
	return []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt", "/nix/store", "/gnu/store"}
}

// sandboxArgs returns the arguments of bwrap before the command. Later mounts cover
// earlier ones.
func sandboxArgs(cmd *exec.Cmd, s *protocol.SandboxEntry) ([]string, error) {
	args := isolation()
	if s.Network {
		args = append(args, "--share-net")
	}
	for _, folder := range systemFolders() {
		args = append(args, "--ro-bind-try", folder, folder)
	}
	if s.Network {
		args = append(args, resolverArgs("/etc/resolv.conf")...)
	}
	args = append(append(args, ownSystem()...), "--tmpfs", "/tmp")
	homes := homesOf(cmd.Env)
	for _, home := range homes {
		args = append(args, "--tmpfs", home)
	}
	for _, program := range programs(cmd.Path) {
		bound := filepath.Dir(program)
		if holdsAny(bound, homes) {
			bound = program // without the files beside it
		}
		args = append(args, "--ro-bind", bound, bound)
	}
	folder := cmd.Dir
	if folder == "" {
		folder = "/" // not the daemon's folder, which nobody configured
	}
	if holdsAny(folder, homes) {
		folder = followed(folder) // a link to it may not exist in the sandbox
	} else {
		args = append(args, "--ro-bind", folder, folder)
	}
	args = append(args, secretFiles("/etc", "/usr/local/etc")...)
	for _, root := range []struct {
		key, option string
		paths       []string
	}{{"read", "--ro-bind", s.Read}, {"write", "--bind", s.Write}} {
		for _, path := range root.paths {
			_, err := os.Stat(path)
			if !filepath.IsAbs(path) {
				err = fmt.Errorf("%s is no absolute path", path) // it would be relative to an arbitrary folder
			}
			if err != nil {
				return nil, &fault.Failure{
					Permanent: true,
					Err:       fmt.Errorf("a path of its sandbox cannot be used: %w", err),
					Next:      fmt.Sprintf("Correct %q in its \"sandbox\", or make what it names.", root.key),
				}
			}
			args = append(args, root.option, path, path)
		}
	}
	return append(args, "--chdir", folder), nil
}

// resolverArgs returns the arguments that give a sandbox with network the target of the
// resolver configuration, if that is a link out of /etc, as systemd-resolved,
// NetworkManager, resolvconf and WSL create it.
func resolverArgs(config string) []string {
	// The whole folder, because systemd replaces the file when the network changes.
	args := []string{"--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve"}
	file, err := filepath.EvalSymlinks(config)
	if err != nil || slices.ContainsFunc(systemFolders(), func(folder string) bool { return within(file, folder) }) {
		return args
	}
	return append(args, "--ro-bind", file, file)
}

// homesOf returns the folders that a sandbox hides: the server's HOME, the user's home
// directory, and the targets of both if they are links. The root folder is left out.
func homesOf(env []string) []string {
	told := lookupEnv(env, "HOME")
	own, _ := os.UserHomeDir()
	var homes []string
	for _, home := range []string{filepath.Clean(told), followed(told), filepath.Clean(own), followed(own)} {
		if filepath.IsAbs(home) && home != "/" && !slices.Contains(homes, home) {
			homes = append(homes, home)
		}
	}
	slices.Sort(homes) // so that a parent is mounted before a folder in it
	return homes
}

// holdsAny reports whether a folder, after links are resolved, is the root or contains
// one of the homes.
func holdsAny(folder string, homes []string) bool {
	folder = followed(folder)
	return folder == "/" || slices.ContainsFunc(homes, func(home string) bool { return within(home, folder) })
}

// followed resolves the links of a path, or returns the clean path if it does not exist.
func followed(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// programs returns the path of a program, and its target if that is in another folder.
func programs(path string) []string {
	if real := followed(path); filepath.Dir(real) != filepath.Dir(path) {
		return []string{path, real}
	}
	return []string{path}
}

// within reports whether a path equals a folder or is in it.
func within(path, folder string) bool {
	relative, err := filepath.Rel(folder, path)
	return path != "" && err == nil && relative != ".." && !strings.HasPrefix(relative, "../")
}

// limitArgs returns the program with its arguments that sets resource limits:
// util-linux's prlimit, inside the sandbox. RLIMIT_DATA counts writable memory; RLIMIT_AS
// would count the address space that runtimes reserve. RLIMIT_NPROC counts the user's
// processes in the sandbox's user namespace. The kernel exempts root from it, so for root
// it is an error.
func limitArgs(s *protocol.SandboxEntry) ([]string, error) {
	if s.MemoryMB == 0 && s.Processes == 0 {
		return nil, nil
	}
	if s.Processes > 0 && os.Geteuid() == 0 {
		return nil, &fault.Failure{
			Permanent: true,
			Err:       errors.New(`"processes" of its sandbox has no effect for root`),
			Next:      "Take it out, or run Winnow as another user.",
		}
	}
	prlimit, err := exec.LookPath("prlimit")
	if err != nil {
		return nil, &fault.Failure{
			Permanent: true,
			Err:       errors.New("the limits of a sandbox need the program prlimit, and it is not there"),
			Next:      `Install the package util-linux, or take "memoryMB" and "processes" out of its "sandbox".`,
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
