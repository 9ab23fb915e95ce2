package process

// withDescendants returns the memory of each process with its descendants. parents has
// the parent of every process; bytes returns the memory of one, and is called for those
// that count. Processes without a parent there are left out.
func withDescendants(parents map[int]int, bytes func(pid int) int64, pids []int) map[int]int64 {
	children := map[int][]int{}
	for pid, parent := range parents {
		children[parent] = append(children[parent], pid)
	}
	held := map[int]int64{}
	for _, pid := range pids {
		if _, there := parents[pid]; !there {
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
			held[pid] += bytes(next)
			rest = append(rest, children[next]...)
		}
	}
	return held
}
