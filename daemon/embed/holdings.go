package embed

// holdings is what a store's goroutine has in memory for one provider: the vectors of the
// newest texts only.
type holdings struct {
	// asked is the provider's space as requested.
	asked Space
	// dim is the dimension of all vectors; 0 while there are none.
	dim int
	all records
	// unsaved holds those of all that are not on disk.
	unsaved records
	// refused holds texts that the provider refused. They are not retried with the same
	// provider.
	refused map[textKey]bool
}

func newHoldings(asked Space) holdings {
	return holdings{asked: asked, all: records{}, unsaved: records{}, refused: map[textKey]bool{}}
}

// distinct maps the keys of texts to the texts to embed. It omits blank texts.
func (h *holdings) distinct(list []string) map[textKey]string {
	wanted := make(map[textKey]string, len(list))
	for _, text := range list {
		if text = tidy(text); text != "" {
			wanted[keyOf(h.asked, text)] = text
		}
	}
	return wanted
}

// lacks reports whether a text has still to be embedded.
func (h *holdings) lacks(key textKey) bool {
	_, ok := h.all[key]
	return !ok && !h.refused[key]
}

// missing returns the texts of the list to embed, each once, in order.
func (h *holdings) missing(list []string) []string {
	var found []string
	seen := map[textKey]bool{}
	for _, text := range list {
		text = tidy(text)
		key := keyOf(h.asked, text)
		if text != "" && !seen[key] && h.lacks(key) {
			seen[key] = true
			found = append(found, text)
		}
	}
	return found
}

// recall takes those of the cached vectors that are wanted.
func (h *holdings) recall(dim int, cached records, wanted map[textKey]string) {
	if dim == 0 || h.dim != 0 && h.dim != dim {
		return
	}
	for key := range wanted {
		if one, ok := cached[key]; ok && h.lacks(key) {
			h.all[key] = one
			h.dim = dim
		}
	}
}

// add takes over new vectors and reports false when they have another
// dimension than what is held.
func (h *holdings) add(texts []string, vectors [][]float32) bool {
	for i, text := range texts {
		if h.dim == 0 {
			h.dim = len(vectors[i])
		}
		if len(vectors[i]) != h.dim {
			return false
		}
		key := keyOf(h.asked, text)
		h.all[key] = record{vector: vectors[i]}
		h.unsaved[key] = h.all[key]
	}
	return true
}

// keep drops everything that is not wanted.
func (h *holdings) keep(wanted map[textKey]string) {
	for key := range h.all {
		if _, ok := wanted[key]; !ok {
			delete(h.all, key)
		}
	}
}

// rows returns the vectors of texts, nil where there is none.
func (h *holdings) rows(list []string) [][]float32 {
	rows := make([][]float32, len(list))
	for i, text := range list {
		if text = tidy(text); text != "" {
			rows[i] = h.all[keyOf(h.asked, text)].vector
		}
	}
	return rows
}
