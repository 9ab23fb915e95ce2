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

// cgroup is the control group of one child. All its descendants are in it,
// also those that clear their environment and begin a session of their own. It
// limits nothing. The zero value is none: there is no cgroup v2, or this process
// may make no group.
type cgroup struct{ dir string }

// cgroupPrefix begins the names of the groups, before the daemon's and a number.
const cgroupPrefix = "winnow-"

// ownCgroup is the folder of the group that this process is in; "" where there is
// none that it sees.
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

// cgroupFolder finds the folder of a process's group of cgroup v2, by its
// /proc/PID/cgroup and /proc/PID/mountinfo; see cgroups(7), proc(5).
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

// daemonCgroups begins the names of the groups of a daemon's children, given its
// lineage.
func daemonCgroups(daemon string) string {
	return cgroupPrefix + strings.NewReplacer(",", "-", "pid:[", "", "]", "").Replace(daemon) + "-"
}

// newCgroup makes a group for a child.
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

// cutLast takes the number off a mark.
func cutLast(mark string) (daemon, number string, ok bool) {
	end := strings.LastIndexByte(mark, ',')
	if end < 0 {
		return "", "", false
	}
	return mark[:end], mark[end+1:], true
}

// enter has a command begin in the group. What it returns is called once it has
// been started.
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

// members are the processes of the group.
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

// outside are those of its processes that are in another process group.
func (c cgroup) outside(group int) []stray {
	var all []stray
	for _, s := range c.members() {
		if stat, ok := readStat(s.pid); ok && stat.group != group {
			all = append(all, s)
		}
	}
	return all
}

// kill ends every process of the group at once. Before Linux 5.14 it does so one
// by one.
func (c cgroup) kill() {
	if c.dir == "" || os.WriteFile(filepath.Join(c.dir, "cgroup.kill"), []byte("1"), 0) == nil {
		return
	}
	for _, s := range c.members() {
		s.signal(syscall.SIGKILL)
	}
}

// remove deletes the group, once the processes that were killed are gone. One that
// stays is deleted by a later sweep.
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

// ofChild takes the name of a child's group apart, into the daemon's process, when
// that began, its namespace and a number; false for the name of another group.
func ofChild(name string) (fields []string, ok bool) {
	name, ok = strings.CutPrefix(name, cgroupPrefix)
	fields = strings.Split(name, "-")
	const parts = 4
	return fields, ok && len(fields) == parts
}

// aboveChildren returns the folder of the group in which the first daemon runs whose
// child's group this folder is, or is in; "" where there is none.
func aboveChildren(folder string) string {
	above := ""
	for dir := folder; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, ok := ofChild(filepath.Base(dir)); ok {
			above = filepath.Dir(dir)
		}
	}
	return above
}

// Leave takes a process that was detached out of the groups of servers that this
// process is a descendant of: they are ended with all that is in them.
func Leave(pid int) {
	if above := aboveChildren(ownCgroup()); above != "" {
		// Where it may not be moved it ends with the server, as this process does.
		_ = os.WriteFile(filepath.Join(above, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0)
	}
}

// sweepCgroups ends what is left in the groups of daemons that are gone.
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
