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

// set is one evaluation set: a catalogue, and messages with the tools that they need.
type set struct {
	name    string
	docs    []ranker.Document
	queries []query
	// idle holds messages that need none of the tools.
	idle []query
}

// query is one message of a set.
type query struct {
	text string
	// kind is the set's classification of the message; "" if there is none.
	kind string
	// needs holds, for each need of the message, the ordinals of the documents of which
	// any one meets it.
	needs [][]int
}

// kinds lists the kinds of the set's messages in alphabetical order, if any.
func (s *set) kinds() []string {
	var kinds []string
	for i := range s.queries {
		if k := s.queries[i].kind; k != "" && !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// toolLine is a line of tools.jsonl.
type toolLine struct {
	Server      string          `json:"server"`
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// queryLine is a line of queries.jsonl or of no_tool.jsonl. Tools are [server, name]
// pairs. Each of gold is a need, and so is each group of alternatives, which any member
// meets. The acceptable alternatives of some sets do not count, so that figures are
// comparable with published ones.
type queryLine struct {
	Query        string        `json:"query"`
	Gold         [][2]string   `json:"gold"`
	Alternatives [][][2]string `json:"gold_alternatives"`
	Kind         string        `json:"kind"`
}

// readSets reads every set under dir: each folder with a tools.jsonl and a queries.jsonl,
// or dir itself. limit is the most queries per set, evenly spread; 0 means all.
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
	s.queries, err = readQueries(filepath.Join(dir, "queries.jsonl"), func(line queryLine) (query, error) {
		return line.resolve(ordinals)
	})
	if err != nil {
		return nil, err
	}
	s.idle, err = readQueries(filepath.Join(dir, "no_tool.jsonl"), func(line queryLine) (query, error) { return line.idle() })
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	s.queries, s.idle = spread(s.queries, limit), spread(s.idle, limit)
	return s, nil
}

// readQueries reads a file of messages.
func readQueries(file string, resolve func(queryLine) (query, error)) ([]query, error) {
	var queries []query
	err := eachLine(file, func(line queryLine) error {
		q, err := resolve(line)
		queries = append(queries, q)
		return err
	})
	return queries, err
}

// resolve converts the names of the needed tools into ordinals, each need once.
func (l *queryLine) resolve(ordinals map[[2]string]int) (query, error) {
	q := query{text: l.Query, kind: l.Kind}
	for _, name := range l.Gold {
		if err := q.need(ordinals, name); err != nil {
			return query{}, err
		}
	}
	for _, group := range l.Alternatives {
		if err := q.need(ordinals, group...); err != nil {
			return query{}, err
		}
	}
	if len(q.needs) == 0 {
		return query{}, fmt.Errorf("query %q needs no tool: such messages belong into no_tool.jsonl", l.Query)
	}
	return q, nil
}

// need adds a need that any of the named tools meets.
func (q *query) need(ordinals map[[2]string]int, names ...[2]string) error {
	var docs []int
	for _, name := range names {
		doc, ok := ordinals[name]
		if !ok {
			return fmt.Errorf("query %q needs %q, which is not in tools.jsonl", q.text, name)
		}
		docs = append(docs, doc)
	}
	slices.Sort(docs)
	docs = slices.Compact(docs)
	if len(docs) == 0 {
		return fmt.Errorf("query %q has a group of alternatives without a tool", q.text)
	}
	if !slices.ContainsFunc(q.needs, func(other []int) bool { return slices.Equal(other, docs) }) {
		q.needs = append(q.needs, docs)
	}
	return nil
}

// idle returns a message that needs no tool.
func (l *queryLine) idle() (query, error) {
	if len(l.Gold)+len(l.Alternatives) > 0 {
		return query{}, fmt.Errorf("query %q needs a tool: such messages belong into queries.jsonl", l.Query)
	}
	return query{text: l.Query, kind: l.Kind}, nil
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

// readTools reads a tools.jsonl. Duplicates by server and name are dropped.
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
			Description: line.Description, Parameters: Parameters(line.InputSchema),
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

// addDistractors appends the tools of a file that the set lacks.
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

// fill appends generated tools until the set has n, to measure the effect of size.
func (s *set) fill(n int) {
	if missing := n - len(s.docs); missing > 0 {
		s.docs = append(slices.Clip(s.docs), synthetic.Catalogue(missing, 1)...)
	}
}
