package process

// usage is a process of a table of all processes.
type usage struct {
	parent int
	// bytes is its resident memory.
	bytes int64
}

// withDescendants returns the memory of each process with its descendants. Processes
// that the table does not have are left out.
func withDescendants(table map[int]usage, pids []int) map[int]int64 {
	children := map[int][]int{}
	for pid, one := range table {
		children[one.parent] = append(children[one.parent], pid)
	}
	held := map[int]int64{}
	for _, pid := range pids {
		if _, there := table[pid]; !there {
			continue
		}
		// A parent that has ended may have left its number to one of its descendants.
		seen, rest := map[int]bool{}, []int{pid}
		for len(rest) > 0 {
			next := rest[0]
			rest = rest[1:]
			if seen[next] {
				continue
			}
			seen[next] = true
			held[pid] += table[next].bytes
			rest = append(rest, children[next]...)
		}
	}
	return held
}
