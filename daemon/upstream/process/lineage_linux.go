package process

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

// lineageVariable is the environment variable that marks a child, and by inheritance its
// descendants. It identifies them even in a session of their own without parents. Its
// value names the daemon and numbers its children.
const lineageVariable = "WINNOW_LINEAGE"

// lineages is the number of the last child.
var lineages atomic.Uint64

// selfLineage identifies this process: process id, start time, and PID namespace.
// Processes of a daemon in a container have other numbers outside.
var selfLineage = sync.OnceValue(func() string {
	self, ok := readStat(os.Getpid())
	namespace, err := os.Readlink("/proc/self/ns/pid")
	if !ok || err != nil {
		return ""
	}
	return fmt.Sprintf("%d,%s,%s", self.pid, self.start, namespace)
})

// markLineage marks the environment of a command before its start. It returns the mark,
// or "" if this process cannot be identified.
func markLineage(cmd *exec.Cmd) string {
	self := selfLineage()
	if self == "" {
		return ""
	}
	mark := self + "," + strconv.FormatUint(lineages.Add(1), 10)
	cmd.Env = append(cmd.Environ(), lineageVariable+"="+mark)
	return mark
}

// ofLineage returns the processes with a mark.
func ofLineage(mark string) []stray {
	if mark == "" {
		return nil
	}
	var found []stray
	for s, m := range lineage() {
		if m == mark {
			found = append(found, s)
		}
	}
	return found
}

// SweepOrphans kills what killed daemons left; it returns how many processes.
func SweepOrphans() (killed int) {
	_, namespace, ok := cutDaemon(selfLineage())
	if !ok {
		return 0
	}
	killed = sweepCgroups(namespace)
	for s, mark := range lineage() {
		daemon, where, ok := cutDaemon(mark)
		if ok && where == namespace && !daemon.lives() {
			s.signal(syscall.SIGKILL)
			killed++
		}
	}
	return killed
}

// cutDaemon returns the daemon and the namespace of a mark.
func cutDaemon(mark string) (daemon stray, namespace string, ok bool) {
	fields := strings.Split(mark, ",")
	const least = 3
	if len(fields) < least {
		return stray{}, "", false
	}
	pid, err := strconv.Atoi(fields[0])
	return stray{pid: pid, start: fields[1]}, fields[2], err == nil
}

func (s stray) lives() bool {
	now, ok := readStat(s.pid)
	return ok && now.start == s.start && !now.ended
}

// lineage returns all readable marked processes with their marks.
func lineage() map[stray]string {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	marks := map[stray]string{}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		// Read the start time first: a process that reuses the number has another one.
		stat, ok := readStat(pid)
		if mark := markOf(pid); ok && mark != "" {
			marks[stray{pid: pid, start: stat.start}] = mark
		}
	}
	return marks
}

// markOf returns the mark of a process, or "".
func markOf(pid int) string {
	environment, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return ""
	}
	mark := ""
	for pair := range bytes.SplitSeq(environment, []byte{0}) {
		// The last one counts: a daemon that descends from a server marks its own
		// children again.
		if value, ok := bytes.CutPrefix(pair, []byte(lineageVariable+"=")); ok {
			mark = string(value)
		}
	}
	return mark
}
