package process

import (
	"bytes"
	"iter"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// stray is a descendant that left the group of its server, as browsers that
// are started detached do. The start time tells it from a later process that
// was given the same number.
type stray struct {
	pid   int
	start string
}

func (s stray) signal(sig syscall.Signal) {
	if now, ok := readStat(s.pid); ok && now.start == s.start {
		_ = syscall.Kill(s.pid, sig)
	}
}

// descendantsOutside returns the descendants of pid that are in another
// process group. It sees those whose chain of parents is unbroken; for the others
// see ofLineage.
func descendantsOutside(pid int) []stray {
	return descendantsIn(pid, func(p procStat) bool { return p.group != pid })
}

// ProcessorTime returns how long a process and its descendants have been running on
// a processor, with those of their children that have ended, in clock ticks (1/100 s);
// 0 where there is no such process.
func ProcessorTime(pid int) uint64 {
	if pid <= 0 {
		return 0
	}
	own, _ := readStat(pid)
	sum := own.time
	descendantsIn(pid, func(p procStat) bool {
		sum += p.time
		return false
	})
	return sum
}

// descendantsIn returns the descendants of pid that match.
func descendantsIn(pid int, match func(procStat) bool) []stray {
	var strays []stray
	for p := range byParent().below(pid) {
		if match(p) {
			strays = append(strays, stray{pid: p.pid, start: p.start})
		}
	}
	return strays
}

// family has the children of each process.
type family map[int][]procStat

// byParent reads all processes.
func byParent() family {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	children := family{}
	for _, entry := range entries {
		if id, err := strconv.Atoi(entry.Name()); err == nil {
			if stat, ok := readStat(id); ok {
				children[stat.parent] = append(children[stat.parent], stat)
			}
		}
	}
	return children
}

// below walks the descendants of a process, each once, parents before their children.
func (f family) below(pid int) iter.Seq[procStat] {
	return func(yield func(procStat) bool) {
		seen, queue := map[int]bool{pid: true}, []int{pid}
		for len(queue) > 0 {
			parent := queue[0]
			queue = queue[1:]
			for _, child := range f[parent] {
				if seen[child.pid] {
					continue // a number that was given to another process meanwhile
				}
				seen[child.pid] = true
				queue = append(queue, child.pid)
				if !yield(child) {
					return
				}
			}
		}
	}
}

// procStat holds the fields of /proc/PID/stat that are used here; see proc(5).
type procStat struct {
	pid, parent, group int
	start              string
	// ended: nobody has waited for it yet.
	ended bool
	// pages are those that it holds in memory.
	pages int64
	time  uint64 // its own and that of its children that have ended
}

func readStat(pid int) (procStat, bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return procStat{}, false
	}
	return parseStat(pid, data)
}

func parseStat(pid int, data []byte) (procStat, bool) {
	// The second field is the program's name in parentheses and may hold
	// anything; the third follows the last parenthesis.
	end := bytes.LastIndexByte(data, ')')
	if end < 0 {
		return procStat{}, false
	}
	fields := strings.Fields(string(data[end+1:]))
	const state, parent, group, userTime, childrenTime, start, rss = 0, 1, 2, 11, 14, 19, 21
	if len(fields) <= rss {
		return procStat{}, false
	}
	parentPID, err1 := strconv.Atoi(fields[parent])
	groupID, err2 := strconv.Atoi(fields[group])
	stat := procStat{pid: pid, parent: parentPID, group: groupID, start: fields[start], ended: fields[state] == "Z" || fields[state] == "X"}
	stat.pages, _ = strconv.ParseInt(fields[rss], 10, 64) // only shown
	for _, field := range fields[userTime : childrenTime+1] {
		n, _ := strconv.ParseUint(field, 10, 64) // 0 where it is none
		stat.time += n
	}
	return stat, err1 == nil && err2 == nil
}

// Memory returns how many bytes of memory each of some processes and its descendants
// hold, what they share counted for each. What is not known is left out.
func Memory(pids []int) map[int]int64 {
	all, held := byParent(), map[int]int64{}
	for _, pid := range pids {
		self, ok := readStat(pid)
		if !ok {
			continue
		}
		pages := self.pages
		for p := range all.below(pid) {
			pages += p.pages
		}
		held[pid] = pages * int64(os.Getpagesize())
	}
	return held
}
