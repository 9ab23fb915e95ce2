package evaluate

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/winnow-mcp/winnow/ranker"
	"github.com/winnow-mcp/winnow/ranker/internal/synthetic"
)

// set is one evaluation set: a catalogue, and messages with the tools that
// they need.
type set struct {
	name    string
	docs    []ranker.Document
	queries []query
}

// query is one message of a set.
type query struct {
	text string
	// needs holds the ordinals of the documents that the message needs.
	needs []int
}

// toolLine is a line of tools.jsonl.
type toolLine struct {
	Server      string          `json:"server"`
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// queryLine is a line of queries.jsonl. Tools are [server, name] pairs. The
// acceptable alternatives that some sets list do not count, so that figures
// compare with published ones.
type queryLine struct {
	Query string      `json:"query"`
	Gold  [][2]string `json:"gold"`
}

// readSets reads every set under dir: each folder with a tools.jsonl and a
// queries.jsonl, or dir itself when it holds them. limit is the most queries
// taken of a set, evenly spread; 0 takes all.
func readSets(dir string, limit int) ([]*set, error) {
	if _, err := os.Stat(filepath.Join(dir, "queries.jsonl")); err == nil {
		s, err := readSet(dir, limit)
		if err != nil {
			return nil, err
		}
		return []*set{s}, nil
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "queries.jsonl"))
	if err != nil {
		return nil, fmt.Errorf("look for sets in %s: %w", dir, err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no set in %s: want folders with tools.jsonl and queries.jsonl", dir)
	}
	var sets []*set
	for _, file := range files {
		s, err := readSet(filepath.Dir(file), limit)
		if err != nil {
			return nil, err
		}
		sets = append(sets, s)
	}
	return sets, nil
}

func readSet(dir string, limit int) (*set, error) {
	docs, err := readTools(filepath.Join(dir, "tools.jsonl"))
	if err != nil {
		return nil, err
	}
	s := &set{name: filepath.Base(dir), docs: docs}
	ordinals := make(map[[2]string]int, len(docs))
	for i := range docs {
		ordinals[[2]string{docs[i].Server, docs[i].Name}] = i
	}
	file := filepath.Join(dir, "queries.jsonl")
	err = eachLine(file, func(line queryLine) error {
		q, err := line.resolve(ordinals)
		if err != nil {
			return err
		}
		s.queries = append(s.queries, q)
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.queries = spread(s.queries, limit)
	return s, nil
}

// resolve turns the names of the needed tools into ordinals, each once.
func (l *queryLine) resolve(ordinals map[[2]string]int) (query, error) {
	q := query{text: l.Query}
	for _, name := range l.Gold {
		doc, ok := ordinals[name]
		if !ok {
			return query{}, fmt.Errorf("query %q needs %q, which is not in tools.jsonl", l.Query, name)
		}
		if !slices.Contains(q.needs, doc) {
			q.needs = append(q.needs, doc)
		}
	}
	if len(q.needs) == 0 {
		return query{}, fmt.Errorf("query %q needs no tool", l.Query)
	}
	return q, nil
}

// spread returns at most limit items, evenly spread over the list.
func spread[T any](items []T, limit int) []T {
	if limit <= 0 || len(items) <= limit {
		return items
	}
	out := make([]T, limit)
	for i := range out {
		out[i] = items[i*len(items)/limit]
	}
	return out
}

// readTools reads a tools.jsonl. Tools of the same server and name are one.
func readTools(file string) ([]ranker.Document, error) {
	var docs []ranker.Document
	seen := map[string]bool{}
	err := eachLine(file, func(line toolLine) error {
		id := line.Server + "\x00" + line.Name
		if seen[id] {
			return nil
		}
		seen[id] = true
		docs = append(docs, ranker.Document{
			ID: id, Server: line.Server, Name: line.Name, Title: line.Title,
			Description: line.Description, Parameters: parameters(line.InputSchema),
		})
		return nil
	})
	return docs, err
}

// eachLine decodes every line of a file as a T.
func eachLine[T any](file string, do func(T) error) error {
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("read evaluation set: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		var value T
		if err := json.Unmarshal(lines.Bytes(), &value); err != nil {
			return fmt.Errorf("%s:%d: %w", file, n, err)
		}
		if err := do(value); err != nil {
			return fmt.Errorf("%s:%d: %w", file, n, err)
		}
	}
	return lines.Err()
}

// addDistractors appends the tools of file that the set does not have.
func (s *set) addDistractors(file string) error {
	more, err := readTools(file)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("no distractors at %s: want a tools.jsonl", file)
	}
	if err != nil {
		return err
	}
	have := make(map[string]bool, len(s.docs))
	for i := range s.docs {
		have[s.docs[i].ID] = true
	}
	s.docs = slices.Clone(s.docs)
	for i := range more {
		if !have[more[i].ID] {
			s.docs = append(s.docs, more[i])
		}
	}
	return nil
}

// fill appends made-up tools until the set has n, to see what size costs.
func (s *set) fill(n int) {
	if missing := n - len(s.docs); missing > 0 {
		s.docs = append(slices.Clip(s.docs), synthetic.Catalogue(missing, 1)...)
	}
}
