package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// base is the root of the checkout.
var base = filepath.Join("..", "..", "..")

// userPages are README.md and the pages of extension/docs.
func userPages(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob(filepath.Join(base, "extension", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	return append(pages, filepath.Join(base, "README.md"))
}

// manifest is what is read of package.json.
type manifest struct {
	Engines     map[string]string
	Contributes struct {
		Commands      []struct{ Category, Title string }
		Configuration []struct{ Properties map[string]any }
	}
}

func readManifest(t *testing.T) (m manifest) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(base, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// Every setting, command of VS Code's and file that the pages for users name exists.
func TestDocs_names(t *testing.T) {
	t.Parallel()
	m := readManifest(t)
	settings, commands := map[string]bool{"winnow.json": true, "winnow.lock.json": true}, map[string]bool{}
	for _, section := range m.Contributes.Configuration {
		for name := range section.Properties {
			for end := range len(name) + 1 { // and the group that it is in
				if name[:end] != "winnow" && (end == len(name) || name[end] == '.') {
					settings[name[:end]] = true
				}
			}
		}
	}
	for _, c := range m.Contributes.Commands {
		commands[c.Category+": "+c.Title] = true
	}
	spaces := regexp.MustCompile(`\s+`)
	kinds := []struct {
		what   string
		named  *regexp.Regexp
		exists func(page, name string) bool
	}{
		{"setting", regexp.MustCompile("`(winnow\\.[a-zA-Z.]+)[`:]"), func(_, name string) bool { return settings[strings.TrimSuffix(name, ".")] }},
		{"command", regexp.MustCompile(`_(Winnow: [^_]+)_`), func(_, name string) bool { return commands[spaces.ReplaceAllString(name, " ")] }},
		{"file", regexp.MustCompile(`\]\(([^)#:]+)[#)]`), func(page, name string) bool {
			_, err := os.Stat(filepath.Join(filepath.Dir(page), name))
			return err == nil
		}},
	}
	count := 0
	for _, page := range userPages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range kinds {
			for _, found := range kind.named.FindAllStringSubmatch(string(text), -1) {
				if count++; !kind.exists(page, found[1]) {
					t.Errorf("%s: there is no %s %q", page, kind.what, found[1])
				}
			}
		}
	}
	if count < 100 {
		t.Errorf("got %d names in the pages, want those that they have", count)
	}
}

// Every command and flag of winnowd that the pages for users name exists.
func TestDocs(t *testing.T) {
	t.Parallel()
	pages := append(userPages(t), filepath.Join(base, "daemon", "packaging", "npm", "README.md"),
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
		case word == "completion", word == "--": // the library adds it, and its own arguments; what is behind is another's
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
