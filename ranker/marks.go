package ranker

// marks is a set of small numbers, such as ordinals, that is cleared in constant time: a
// number is in it if its mark is the current epoch.
type marks struct {
	epochs []uint32
	epoch  uint32
}

func newMarks(n int) marks { return marks{epochs: make([]uint32, n)} }

func (m *marks) reset() {
	m.epoch++
	if m.epoch == 0 { // wrapped around: old marks could look current
		clear(m.epochs)
		m.epoch = 1
	}
}

// mark adds a number and reports whether it is new.
func (m *marks) mark(i int32) bool {
	if m.epochs[i] == m.epoch {
		return false
	}
	m.epochs[i] = m.epoch
	return true
}

// has reports whether a number is in the set.
func (m *marks) has(i int32) bool { return m.epochs[i] == m.epoch }
