package process

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// processGroup is a job object: Windows ends every process of the job when the
// last handle to it is closed, also when the daemon dies.
type processGroup struct {
	// mu guards job.
	mu  sync.Mutex
	job windows.Handle
}

// start starts cmd and puts it into a job of its own. A grandchild that is
// started in the instant between the two escapes the job; Windows offers
// os/exec no way to start a process inside one.
func (g *processGroup) start(cmd *exec.Cmd) error {
	job, err := newJob()
	if err != nil {
		return err
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.HideWindow = true
	cmd.SysProcAttr.CreationFlags |= windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW
	if err := cmd.Start(); err != nil {
		return errors.Join(err, windows.CloseHandle(job))
	}
	if err := assign(job, cmd.Process.Pid); err != nil {
		killed := cmd.Process.Kill()
		_ = cmd.Wait()
		return errors.Join(err, killed, windows.CloseHandle(job))
	}
	g.job = job
	return nil
}

func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, fmt.Errorf("create job object: %w", err)
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
		},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		return 0, errors.Join(fmt.Errorf("limit job object: %w", err), windows.CloseHandle(job))
	}
	return job, nil
}

func assign(job windows.Handle, pid int) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return fmt.Errorf("open process: %w", err)
	}
	err = windows.AssignProcessToJobObject(job, process)
	if err != nil {
		err = fmt.Errorf("assign process to job: %w", err)
	}
	return errors.Join(err, windows.CloseHandle(process))
}

// note does nothing: a job has no strays.
func (g *processGroup) note() {}

func (g *processGroup) noteOrphans() {}

// terminate does nothing: Windows has no request to end that a program
// without a window would see. Its closed stdin was the request.
func (g *processGroup) terminate() {}

// kill ends every process of the job at once.
func (g *processGroup) kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
	}
}

// release gives the job back.
func (g *processGroup) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		_ = windows.CloseHandle(g.job)
		g.job = 0
	}
}

// NewCommand builds the command of a stdio server. What is not a program by
// itself (npx.cmd, a .bat file) is handed to cmd.exe, whose quoting differs.
func NewCommand(command string, args []string, dir string, env []string) (*exec.Cmd, error) {
	path, err := FindProgram(command, dir, nil)
	if err != nil {
		return nil, err
	}
	if !needsShell(path) {
		return &exec.Cmd{Path: path, Args: append([]string{command}, args...), Env: env, Dir: dir}, nil
	}
	shell, err := exec.LookPath("cmd.exe")
	if err != nil {
		return nil, fmt.Errorf("cmd.exe, needed for %s: %w", path, err)
	}
	return &exec.Cmd{
		Path: shell, Args: []string{shell}, Env: env, Dir: dir,
		SysProcAttr: &syscall.SysProcAttr{CmdLine: shellCommandLine(path, args)},
	}, nil
}

// FindProgram returns the path of the program that a command starts from a
// working directory. It is looked for in the daemon's own PATH.
func FindProgram(command, dir string, _ map[string]string) (string, error) {
	found := command
	if strings.ContainsAny(found, `\/`) && !filepath.IsAbs(found) {
		found = filepath.Join(dir, found)
	}
	path, err := exec.LookPath(found)
	if err != nil {
		return "", fmt.Errorf("%q: %w", command, exec.ErrNotFound)
	}
	return path, nil
}

// SweepOrphans does nothing: a job ends with the daemon.
func SweepOrphans() int { return 0 }

// CommandLine returns the command line that replaces a command's arguments; empty
// for none.
func CommandLine(cmd *exec.Cmd) string {
	if cmd.SysProcAttr == nil {
		return ""
	}
	return cmd.SysProcAttr.CmdLine
}

// SetCommandLine makes a command have what [CommandLine] has returned.
func SetCommandLine(cmd *exec.Cmd, line string) {
	if line != "" {
		cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: line}
	}
}

// Memory returns nothing: it is not known here.
func Memory([]int) map[int]int64 { return nil }

// ProcessorTime returns 0: it is read from /proc.
func ProcessorTime(int) uint64 { return 0 }
