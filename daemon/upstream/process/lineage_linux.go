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

// lineageVariable marks the environment of a child, and by inheritance that of
// all its descendants: they are recognised by it also when nothing else leads
// to them, in a session of their own with their parents gone. Its value names
// the daemon and counts its children.
const lineageVariable = "WINNOW_LINEAGE"

// lineages counts the children.
var lineages atomic.Uint64

// selfLineage names this process: its process id, when it started, and the
// namespace in which that id counts. A daemon in a container has processes that
// are seen from outside under other numbers.
var selfLineage = sync.OnceValue(func() string {
	self, ok := readStat(os.Getpid())
	namespace, err := os.Readlink("/proc/self/ns/pid")
	if !ok || err != nil {
		return ""
	}
	return fmt.Sprintf("%d,%s,%s", self.pid, self.start, namespace)
})

// markLineage marks the environment of a command that is to be started. It
// returns the mark; "" where processes cannot be told apart.
func markLineage(cmd *exec.Cmd) string {
	self := selfLineage()
	if self == "" {
		return ""
	}
	mark := self + "," + strconv.FormatUint(lineages.Add(1), 10)
	cmd.Env = append(cmd.Environ(), lineageVariable+"="+mark)
	return mark
}

// ofLineage returns the processes with that mark.
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

// SweepOrphans kills what a daemon that was killed itself has left behind.
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

// cutDaemon reads the daemon of a mark.
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

// lineage returns every process that is marked and may be read, with its mark.
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
		// The start time comes first: a process that has the number later has
		// another one.
		stat, ok := readStat(pid)
		if mark := markOf(pid); ok && mark != "" {
			marks[stray{pid: pid, start: stat.start}] = mark
		}
	}
	return marks
}

// markOf returns the mark of a process; "" when it has none.
func markOf(pid int) string {
	environment, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return ""
	}
	mark := ""
	for pair := range bytes.SplitSeq(environment, []byte{0}) {
		// The last one counts: a daemon that is itself a descendant of a server
		// marks its own children.
		if value, ok := bytes.CutPrefix(pair, []byte(lineageVariable+"=")); ok {
			mark = string(value)
		}
	}
	return mark
}
