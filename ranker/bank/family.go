package bank

import (
	"slices"
	"strings"
)

// Family returns the longest family whose words are all in a server's name, given by its
// words: gitlab for "gitlab-zereight", as people call it. It returns nil if there is
// none, and the alphabetically first of equally long ones.
func (b *Bank) Family(name []string) []string {
	var longest []string
	for _, family := range b.families() {
		if len(family) > len(longest) && !slices.ContainsFunc(family, func(w string) bool { return !slices.Contains(name, w) }) {
			longest = family
		}
	}
	return longest
}

// findFamilies returns the families of the entries, in alphabetical order.
func (b *Bank) findFamilies() [][]string {
	lines := map[string]bool{}
	for i := range b.count {
		if b.has(i) {
			lines[b.family(i)] = true
		}
	}
	var families [][]string
	for line := range lines {
		families = append(families, strings.Fields(line))
	}
	slices.SortFunc(families, func(x, y []string) int { return slices.Compare(x, y) })
	return families
}

// family returns the words of an entry's family on one line.
func (b *Bank) family(i int) string {
	_, text, _ := strings.Cut(b.lines(i), "\n")
	family, _, _ := strings.Cut(text, "\n")
	return family
}
