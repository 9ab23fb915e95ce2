package embed

// memoSize is how many queries are remembered.
const memoSize = 256

// memo remembers the vectors of the latest queries, in memory only: an
// explanation or a repeated search asks for the same text again. It belongs to
// the caller that locks for it.
type memo struct {
	vectors map[string][]float32
	// order holds the texts, oldest first.
	order []string
}

func newMemo() memo { return memo{vectors: map[string][]float32{}} }

func (m *memo) get(text string) ([]float32, bool) {
	v, ok := m.vectors[text]
	return v, ok
}

func (m *memo) put(text string, v []float32) {
	if _, ok := m.vectors[text]; !ok {
		if len(m.order) == memoSize {
			delete(m.vectors, m.order[0])
			m.order = m.order[1:]
		}
		m.order = append(m.order, text)
	}
	m.vectors[text] = v
}
