package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/winnow-mcp/winnow/ranker/internal/dictionary"
)

// source is one word list.
type source struct {
	// grammar holds the words that indicate the language of a clause.
	grammar []string
	// lines holds the other lines, in the order of the file.
	lines []line
}

// line is an English word and its translations, most common first. A word with a capital
// letter is a name.
type line struct {
	english string
	forms   []string
}

// grammarName starts the line of grammatical words, and sharedName that of English words
// that other languages share.
const (
	grammarName = "grammar"
	sharedName  = "shared"
)

// readSource reads the list of a language from a folder.
func readSource(folder, code string) (*source, error) {
	file := filepath.Join(folder, code+".txt")
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the words of %q: %w", code, err)
	}
	s, err := parse(string(content))
	if err != nil {
		return nil, fmt.Errorf("%s:%w", file, err)
	}
	return s, nil
}

// parse reads a list. An error begins with the number of its line.
func parse(content string) (*source, error) {
	s := &source{}
	seen := map[string]int{}
	for i, text := range strings.Split(content, "\n") {
		text = strings.TrimSpace(text)
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		l, err := parseLine(text)
		if err != nil {
			return nil, fmt.Errorf("%d: %w", i+1, err)
		}
		if before := seen[dictionary.Key(l.english)]; before > 0 {
			return nil, fmt.Errorf("%d: %q has a line already, line %d: join them", i+1, l.english, before)
		}
		seen[dictionary.Key(l.english)] = i + 1
		if l.english == grammarName {
			s.grammar = l.forms
			continue
		}
		s.lines = append(s.lines, l)
	}
	return s, nil
}

// parseLine reads "word: form, form".
func parseLine(text string) (line, error) {
	word, rest, ok := strings.Cut(text, ":")
	l := line{english: strings.TrimSpace(word)}
	if !ok || dictionary.Key(word) == "" {
		return line{}, fmt.Errorf("%q is no line of a word list: want \"english: form, form\"", text)
	}
	seen := map[string]bool{}
	for _, form := range strings.Split(rest, ",") {
		form = strings.TrimSpace(form)
		switch key := dictionary.Key(form); {
		case key == "":
			return line{}, fmt.Errorf("%q has an empty form: remove a comma", l.english)
		case seen[form]:
			return line{}, fmt.Errorf("%q has the form %q twice: remove one", l.english, form)
		}
		seen[form] = true
		l.forms = append(l.forms, form)
	}
	return l, nil
}
