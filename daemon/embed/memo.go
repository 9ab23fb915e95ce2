package embed

// memoSize is how many queries are cached.
const memoSize = 256

// memo caches the vectors of the latest queries in memory, because an explanation or a
// repeated search embeds the same text again. It is not safe for concurrent use.
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
