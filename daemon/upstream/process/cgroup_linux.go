package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// cgroup is the control group of one child. It contains all descendants, also those with
// a cleared environment and a session of their own. It sets no limits. The zero value
// means no cgroup: cgroup v2 is missing, or this process may create no group.
type cgroup struct{ dir string }

// cgroupPrefix is the prefix of the group names; the daemon and a number follow.
const cgroupPrefix = "winnow-"

// ownCgroup returns the folder of this process's group, or "" if it sees none.
var ownCgroup = sync.OnceValue(func() string {
	groups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return ""
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	return cgroupFolder(string(groups), string(mounts))
})

// cgroupFolder returns the folder of a process's cgroup v2, given its /proc/PID/cgroup
// and /proc/PID/mountinfo; see cgroups(7), proc(5).
func cgroupFolder(groups, mounts string) string {
	var own string
	for line := range strings.Lines(groups) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok && !strings.HasPrefix(path, "/..") { // that one is outside of what is seen here
			own = path
		}
	}
	for line := range strings.Lines(mounts) {
		mount, kind, _ := strings.Cut(line, " - ")
		fields := strings.Fields(mount)
		const root, point = 3, 4
		if !strings.HasPrefix(kind, "cgroup2 ") || len(fields) <= point || own == "" {
			continue
		}
		if below, err := filepath.Rel(fields[root], own); err == nil && filepath.IsLocal(below) {
			return filepath.Join(fields[point], below)
		}
	}
	return ""
}

// daemonCgroups returns the prefix of the group names of a daemon's children, given the
// daemon's lineage.
func daemonCgroups(daemon string) string {
	return cgroupPrefix + strings.NewReplacer(",", "-", "pid:[", "", "]", "").Replace(daemon) + "-"
}

// newCgroup creates a group for a child.
func newCgroup(mark string) cgroup {
	daemon, number, ok := cutLast(mark)
	if !ok || ownCgroup() == "" {
		return cgroup{}
	}
	dir := filepath.Join(ownCgroup(), daemonCgroups(daemon)+number)
	const mode = 0o755
	if os.Mkdir(dir, mode) != nil {
		return cgroup{}
	}
	return cgroup{dir}
}

// cutLast splits a mark before its number.
func cutLast(mark string) (daemon, number string, ok bool) {
	end := strings.LastIndexByte(mark, ',')
	if end < 0 {
		return "", "", false
	}
	return mark[:end], mark[end+1:], true
}

// enter lets a command start in the group. The caller must call entered after the start.
func (c cgroup) enter(attr *syscall.SysProcAttr) (entered func(), ok bool) {
	if c.dir == "" {
		return func() {}, false
	}
	dir, err := os.Open(c.dir)
	if err != nil {
		return func() {}, false
	}
	attr.UseCgroupFD, attr.CgroupFD = true, int(dir.Fd())
	return func() { _ = dir.Close() }, true
}

// members returns the processes of the group.
func (c cgroup) members() []stray {
	if c.dir == "" {
		return nil
	}
	list, err := os.ReadFile(filepath.Join(c.dir, "cgroup.procs"))
	if err != nil {
		return nil
	}
	var all []stray
	for _, field := range strings.Fields(string(list)) {
		if pid, err := strconv.Atoi(field); err == nil {
			if stat, ok := readStat(pid); ok {
				all = append(all, stray{pid: pid, start: stat.start})
			}
		}
	}
	return all
}

// outside returns the members that are in another process group.
func (c cgroup) outside(group int) []stray {
	var all []stray
	for _, s := range c.members() {
		if stat, ok := readStat(s.pid); ok && stat.group != group {
			all = append(all, s)
		}
	}
	return all
}

// kill kills all processes of the group; before Linux 5.14 one by one.
func (c cgroup) kill() {
	if c.dir == "" || os.WriteFile(filepath.Join(c.dir, "cgroup.kill"), []byte("1"), 0) == nil {
		return
	}
	for _, s := range c.members() {
		s.signal(syscall.SIGKILL)
	}
}

// remove deletes the group once its killed processes are gone. If it fails, a later sweep
// deletes it.
func (c cgroup) remove() {
	if c.dir == "" {
		return
	}
	const tries, wait = 50, 10 * time.Millisecond
	for range tries {
		if err := os.Remove(c.dir); err == nil || os.IsNotExist(err) {
			return
		}
		time.Sleep(wait)
	}
}

// ofChild splits the name of a child's group into the daemon's process id, its start
// time, its namespace and a number. It returns false for the name of another group.
func ofChild(name string) (fields []string, ok bool) {
	name, ok = strings.CutPrefix(name, cgroupPrefix)
	fields = strings.Split(name, "-")
	const parts = 4
	return fields, ok && len(fields) == parts
}

// aboveChildren returns the group folder of the outermost daemon among those whose
// child's group contains this folder, or "" if there is none.
func aboveChildren(folder string) string {
	above := ""
	for dir := folder; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, ok := ofChild(filepath.Base(dir)); ok {
			above = filepath.Dir(dir)
		}
	}
	return above
}

// Leave moves a detached process out of the groups of servers that this process descends
// from, because all processes of those groups are killed.
func Leave(pid int) {
	if above := aboveChildren(ownCgroup()); above != "" {
		// If it may not be moved, it ends with the server, as this process does.
		_ = os.WriteFile(filepath.Join(above, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0)
	}
}

// sweepCgroups kills the processes in groups of daemons that are gone.
func sweepCgroups(namespace string) (killed int) {
	if ownCgroup() == "" {
		return 0
	}
	dirs, err := filepath.Glob(filepath.Join(ownCgroup(), cgroupPrefix+"*"))
	if err != nil {
		return 0
	}
	for _, dir := range dirs {
		fields, ok := ofChild(filepath.Base(dir))
		if !ok || fmt.Sprintf("pid:[%s]", fields[2]) != namespace {
			continue
		}
		pid, err := strconv.Atoi(fields[0])
		if err != nil || (stray{pid: pid, start: fields[1]}).lives() {
			continue
		}
		c := cgroup{dir}
		killed += len(c.members())
		c.kill()
		c.remove()
	}
	return killed
}
