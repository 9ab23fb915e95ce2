package process

import (
	"bytes"
	"iter"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// stray is a descendant outside its server's process group, such as a detached browser.
// The start time distinguishes it from a later process with the same number.
type stray struct {
	pid   int
	start string
}

func (s stray) signal(sig syscall.Signal) {
	if now, ok := readStat(s.pid); ok && now.start == s.start {
		_ = syscall.Kill(s.pid, sig)
	}
}

// descendantsOutside returns the descendants of pid in other process groups. It finds
// those with an unbroken chain of parents; ofLineage finds the others.
func descendantsOutside(pid int) []stray {
	return descendantsIn(pid, func(p procStat) bool { return p.group != pid })
}

// ProcessorTime returns the CPU time of a process, its descendants and their ended
// children, in clock ticks (1/100 s). It is 0 if there is no such process.
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

// family maps a process id to the children of the process.
type family map[int][]procStat

// byParent reads all processes of the system.
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

// below yields the descendants of a process, each once, parents first.
func (f family) below(pid int) iter.Seq[procStat] {
	return func(yield func(procStat) bool) {
		seen, queue := map[int]bool{pid: true}, []int{pid}
		for len(queue) > 0 {
			parent := queue[0]
			queue = queue[1:]
			for _, child := range f[parent] {
				if seen[child.pid] {
					continue // the number was reused meanwhile
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
	// ended: the process has ended and was not reaped yet.
	ended bool
	// pages is the resident set size in pages.
	pages int64
	time  uint64 // CPU time with that of ended children
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
	stat.pages, _ = strconv.ParseInt(fields[rss], 10, 64) // for display only
	for _, field := range fields[userTime : childrenTime+1] {
		n, _ := strconv.ParseUint(field, 10, 64) // 0 if malformed
		stat.time += n
	}
	return stat, err1 == nil && err2 == nil
}

// Memory returns the resident memory in bytes of each process with its descendants.
// Shared memory is counted for each. Unknown processes are left out.
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
