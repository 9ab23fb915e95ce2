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

// probeTime bounds the trial of a sandbox, which takes milliseconds.
const probeTime = 10 * time.Second

// withoutSandbox is the next step where there can be none.
const withoutSandbox = `take "sandbox" out of the entry: the server then has all the rights that you have.`

// Sandboxes makes commands run in sandboxes. The zero value is ready.
type Sandboxes struct {
	mu sync.Mutex
	// able holds the programs bwrap that have made one. Where one no longer can,
	// it says so when the server starts.
	able map[string]bool
}

// Command returns a command that runs cmd in a sandbox. It never returns one
// that runs it without: what is missing is an error that a retry does not cure.
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

// probe tries, until it has once succeeded, whether this machine allows a
// sandbox, and whether it holds: many machines forbid user namespaces to all but
// some programs, and root is root in files that the kernel grants by owner.
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
		return fmt.Errorf("try a sandbox: %w", context.Cause(ctx)) // which says nothing of the machine
	}
	why := strings.TrimSpace(string(bytes.ToValidUTF8(said, nil)))
	return &fault.Failure{
		Permanent: true,
		Err:       fmt.Errorf("bubblewrap cannot make a sandbox that holds on this machine (%w): %s", err, why),
		Next:      "Let bwrap use user namespaces (sysctl kernel.unprivileged_userns_clone, or its AppArmor profile), or " + withoutSandbox,
	}
}

// isolation are what every sandbox is cut off from. For root a user namespace is
// not left to a try: without one its capabilities are those of the machine.
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

// ownSystem are a sandbox's /proc, with its own processes, and /dev. What of
// /proc sets the kernel is read-only: root needs no capability to write there.
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

// holds reads /proc/self/status and mountinfo of a process in a sandbox, and
// fails where it has a capability or could set the kernel.
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

// secretFiles are the arguments that hide in a system folder what not every user
// may read, such as /etc/shadow and the host keys of SSH: root would read them,
// and others by a group.
func secretFiles(folders ...string) []string {
	const everybody, everybodyEnters = 0o004, 0o005
	var args []string
	for _, folder := range folders {
		// What cannot be looked at is hidden, or gone.
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

// systemFolders hold programs, their libraries and what they read of the
// system.
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
			bound = program // and nothing that lies beside it
		}
		args = append(args, "--ro-bind", bound, bound)
	}
	folder := cmd.Dir
	if folder == "" {
		folder = "/" // not the daemon's own, which was not chosen
	}
	if holdsAny(folder, homes) {
		folder = followed(folder) // which is there, where a link to it is not
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
				err = fmt.Errorf("%s is no absolute path", path) // it would start at a folder that was not chosen
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

// resolverArgs give a sandbox with network what the system's configuration of
// name servers leads to where it is a link out of /etc, as systemd-resolved,
// NetworkManager, resolvconf and WSL make it.
func resolverArgs(config string) []string {
	// A folder, in which systemd puts another file when the network changes.
	args := []string{"--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve"}
	file, err := filepath.EvalSymlinks(config)
	if err != nil || slices.ContainsFunc(systemFolders(), func(folder string) bool { return within(file, folder) }) {
		return args
	}
	return append(args, "--ro-bind", file, file)
}

// homesOf are the folders that a sandbox hides: the home that the server is told
// of, the user's own, and what they lead to where they are links. A home that is
// the root is none: nothing would be left.
func homesOf(env []string) []string {
	told := lookupEnv(env, "HOME")
	own, _ := os.UserHomeDir()
	var homes []string
	for _, home := range []string{filepath.Clean(told), followed(told), filepath.Clean(own), followed(own)} {
		if filepath.IsAbs(home) && home != "/" && !slices.Contains(homes, home) {
			homes = append(homes, home)
		}
	}
	slices.Sort(homes) // so that none is mounted over one in it
	return homes
}

// holdsAny reports whether a folder is the root or holds one of the homes, also
// by way of links: what is hidden stays hidden.
func holdsAny(folder string, homes []string) bool {
	folder = followed(folder)
	return folder == "/" || slices.ContainsFunc(homes, func(home string) bool { return within(home, folder) })
}

// followed returns what a path leads to, or the path itself where there is
// nothing.
func followed(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// programs are a program, and what it leads to where it is a link.
func programs(path string) []string {
	if real := followed(path); filepath.Dir(real) != filepath.Dir(path) {
		return []string{path, real}
	}
	return []string{path}
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
