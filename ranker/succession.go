package ranker

// succession maps documents to those of an earlier version.
type succession struct {
	// before holds each document's ordinal in the earlier version if its text is the
	// same, else -1.
	before []int
	// came holds the ordinals of new documents, gone the earlier ordinals of removed
	// ones.
	came, gone []int
}

// succeed compares the documents of a version with those of an earlier one. ordinals maps
// IDs to the earlier ones.
func succeed(docs, earlier []Document, ordinals map[string]int) succession {
	s := succession{before: make([]int, len(docs))}
	stayed := make([]bool, len(earlier))
	for i := range docs {
		j, ok := ordinals[docs[i].ID]
		// If two documents have the same ID, which is not allowed, one of them stayed.
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
