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

// processGroup is a job object. Windows kills all processes of the job when the last
// handle to it is closed, also when the daemon dies.
type processGroup struct {
	// mu guards job.
	mu  sync.Mutex
	job windows.Handle
}

// start starts cmd and then puts it into a job of its own. A grandchild started between
// the two steps escapes the job: os/exec cannot start a process inside a job.
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

// terminate does nothing: a Windows program without a window cannot be asked to exit,
// except by closing its stdin.
func (g *processGroup) terminate() {}

// kill kills all processes of the job.
func (g *processGroup) kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
	}
}

// release closes the job.
func (g *processGroup) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		_ = windows.CloseHandle(g.job)
		g.job = 0
	}
}

// NewCommand returns the command of a stdio server. Scripts (npx.cmd, a .bat file) are
// run by cmd.exe, whose quoting differs.
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

// FindProgram returns the path of the program that a command starts from a working
// directory. It is looked up in the daemon's PATH.
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

// SweepOrphans does nothing: jobs end with the daemon.
func SweepOrphans() int { return 0 }

// CommandLine returns the command line that replaces a command's arguments, or "" if
// there is none.
func CommandLine(cmd *exec.Cmd) string {
	if cmd.SysProcAttr == nil {
		return ""
	}
	return cmd.SysProcAttr.CmdLine
}

// SetCommandLine sets a command line returned by [CommandLine].
func SetCommandLine(cmd *exec.Cmd, line string) {
	if line != "" {
		cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: line}
	}
}

// getProcessMemoryInfo is not in golang.org/x/sys.
var getProcessMemoryInfo = windows.NewLazySystemDLL("kernel32.dll").NewProc("K32GetProcessMemoryInfo")

// processMemory is PROCESS_MEMORY_COUNTERS of psapi.h.
type processMemory struct {
	size, pageFaults                                                 uint32
	peakWorkingSet, workingSet                                       uintptr
	peakPaged, paged, peakNonPaged, nonPaged, pagefile, peakPagefile uintptr
}

// Memory returns the working set in bytes of each process with its descendants. Shared
// memory is counted for each. Processes that are unknown, or may not be looked at, are
// left out.
func Memory(pids []int) map[int]int64 {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = windows.CloseHandle(snapshot) }()
	parents, entry := map[int]int{}, windows.ProcessEntry32{}
	entry.Size = uint32(unsafe.Sizeof(entry))
	for err = windows.Process32First(snapshot, &entry); err == nil; err = windows.Process32Next(snapshot, &entry) {
		parents[int(entry.ProcessID)] = int(entry.ParentProcessID)
	}
	return withDescendants(parents, workingSet, pids)
}

// workingSet returns the working set of a process in bytes, 0 if it is not known.
func workingSet(pid int) int64 {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return 0
	}
	defer func() { _ = windows.CloseHandle(process) }()
	counters := processMemory{}
	counters.size = uint32(unsafe.Sizeof(counters))
	if ok, _, _ := getProcessMemoryInfo.Call(uintptr(process), uintptr(unsafe.Pointer(&counters)), uintptr(counters.size)); ok == 0 {
		return 0
	}
	return int64(counters.workingSet)
}

// ProcessorTime returns 0: it requires /proc.
func ProcessorTime(int) uint64 { return 0 }
