// Command generate compiles the word lists of package dictionary into its table.
// It runs in the package's folder, by go generate.
package main

import (
	"fmt"
	"os"

	"github.com/winnow-mcp/winnow/ranker/internal/dictionary"
)

func main() {
	table, err := compileFolder("words")
	if err == nil {
		err = os.WriteFile("words.table", table, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// compileFolder compiles the lists in a folder.
func compileFolder(folder string) ([]byte, error) {
	english, err := readSource(folder, "en")
	if err != nil {
		return nil, err
	}
	var others []*source
	for i := range dictionary.Languages {
		s, err := readSource(folder, dictionary.Languages[i].Code)
		if err != nil {
			return nil, err
		}
		others = append(others, s)
	}
	return compile(english, others), nil
}
