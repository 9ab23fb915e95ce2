package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every command and flag of winnowd that the pages for users name exists.
func TestDocs(t *testing.T) {
	t.Parallel()
	base := filepath.Join("..", "..", "..")
	pages, err := filepath.Glob(filepath.Join(base, "extension", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	pages = append(pages, filepath.Join(base, "README.md"), filepath.Join(base, "daemon", "packaging", "npm", "README.md"),
		filepath.Join(base, ".github", "ISSUE_TEMPLATE", "bug.yml"), filepath.Join(base, ".github", "CONTRIBUTING.md"))
	// In a line of code, up to its end, a comment or what is piped.
	line := regexp.MustCompile("(?m)(?:`|^|: |# )(?:npx -y |extension/bin/)?(?:winnowd|winnow-mcp) ([^`#>|\n]*)")
	count := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range line.FindAllStringSubmatch(string(text), -1) {
			checkCommand(t, page, strings.Fields(found[1]))
			count++
		}
	}
	if count < 20 {
		t.Errorf("got %d commands in the pages, want those that they have", count)
	}
}

// checkCommand checks the words behind winnowd.
func checkCommand(t *testing.T, page string, words []string) {
	t.Helper()
	c := root()
	for i := 0; i < len(words); i++ {
		word := words[i]
		name, isFlag := strings.CutPrefix(word, "-")
		flag := c.Flag(strings.TrimLeft(name, "-"))
		switch {
		case word == "completion": // the library adds it, and its own arguments
			return
		case isFlag && flag == nil && name != "help":
			t.Errorf("%s: %q has no flag %s, in %q", page, c.CommandPath(), word, words)
		case isFlag && flag != nil && flag.NoOptDefVal == "":
			i++ // its value
		case !isFlag && c.HasSubCommands():
			if sub := subcommand(c, word); sub != c {
				c = sub
			} else {
				t.Errorf("%s: winnowd has no command %q, in %q", page, word, words)
			}
		}
	}
}
