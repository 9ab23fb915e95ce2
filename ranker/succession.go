package ranker

// succession says what became of the documents of an earlier version.
type succession struct {
	// before holds, for each document, the ordinal that it had in the earlier
	// version with the same text, -1 for one that was not there.
	before []int
	// came holds the ordinals of the documents that were not there, gone the
	// earlier ordinals of those that are no longer.
	came, gone []int
}

// succeed compares the documents of a version with those of an earlier one,
// whose ordinals are by ID.
func succeed(docs, earlier []Document, ordinals map[string]int) succession {
	s := succession{before: make([]int, len(docs))}
	stayed := make([]bool, len(earlier))
	for i := range docs {
		j, ok := ordinals[docs[i].ID]
		// Of two documents with one ID, which there should not be, one stayed.
		if !ok || stayed[j] || !docs[i].same(&earlier[j]) {
			s.before[i] = -1
			s.came = append(s.came, i)
			continue
		}
		s.before[i] = j
		stayed[j] = true
	}
	for j, did := range stayed {
		if !did {
			s.gone = append(s.gone, j)
		}
	}
	return s
}

// pick returns the elements at ordinals.
func pick[T any](all []T, ordinals []int) []T {
	picked := make([]T, len(ordinals))
	for i, ordinal := range ordinals {
		picked[i] = all[ordinal]
	}
	return picked
}
