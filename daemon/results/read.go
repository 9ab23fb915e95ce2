package results

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ohler55/ojg/jp"
	"github.com/ohler55/ojg/oj"

	"github.com/winnow-mcp/winnow/router/results"
)

// Request asks for a part of a kept result. At most one of Lines, Grep and
// JSONPath is set; without any, Offset counts characters.
type Request struct {
	Handle string `json:"handle"`
	// Offset counts characters; with Grep and JSONPath, matches.
	Offset   int    `json:"offset"`
	Lines    string `json:"lines"`
	Grep     string `json:"grep"`
	JSONPath string `json:"jsonpath"`
}

// errSeveral is returned for a request that says more than one way to read.
var errSeveral = errors.New(`give one of "offset", "lines", "grep" and "jsonpath"`)

// Read returns the part of a document that a request asks for, at most limit
// characters of it.
func Read(document string, r Request, limit int) (results.Part, error) {
	ways := 0
	for _, way := range []string{r.Lines, r.Grep, r.JSONPath} {
		if way != "" {
			ways++
		}
	}
	switch {
	case ways > 1:
		return results.Part{}, errSeveral
	case r.Lines != "":
		return results.Lines(document, r.Lines, limit)
	case r.Grep != "":
		return results.Grep(document, r.Grep, r.Offset, limit)
	case r.JSONPath != "":
		return readJSONPath(document, r, limit)
	}
	return results.PageAt(document, r.Offset, limit)
}

// readJSONPath returns the values that a JSONPath selects, as a JSON array of
// those that fit.
func readJSONPath(document string, r Request, limit int) (results.Part, error) {
	matches, err := selectPath(document, r.JSONPath)
	if err != nil {
		return results.Part{}, err
	}
	if r.Offset < 0 || r.Offset > len(matches) {
		return results.Part{}, fmt.Errorf("offset %d lies outside of the %d matches", r.Offset, len(matches))
	}
	var b strings.Builder
	size, shown := len("[]"), 0
	for _, m := range matches[r.Offset:] {
		text := oj.JSON(m, &oj.Options{Sort: true})
		if size += utf8.RuneCountInString(text) + len(","); size > limit {
			break
		}
		if shown > 0 {
			b.WriteByte(',')
		}
		b.WriteString(text)
		shown++
	}
	if shown == 0 && r.Offset < len(matches) {
		return results.Part{}, fmt.Errorf("match %d of %d alone is longer than %d characters; "+
			"select less of it, such as by %s", r.Offset, len(matches), limit, narrower(matches[r.Offset], r.JSONPath))
	}
	note := fmt.Sprintf("%d of %d matches.", shown, len(matches))
	if end := r.Offset + shown; end < len(matches) {
		note += fmt.Sprintf(` Next: the same with "offset":%d.`, end)
	}
	return results.Part{Text: "[" + b.String() + "]", Note: note}, nil
}

// narrower suggests a path into a value that is too long.
func narrower(value any, path string) string {
	switch value.(type) {
	case []any:
		return path + "[0:10]"
	case map[string]any:
		return path + ".*"
	}
	return `"grep" or "offset"`
}

// selectPath returns the values that a path selects. The library may panic on
// a path that it parses and cannot follow.
func selectPath(document, path string) (matches []any, err error) {
	defer func() {
		if p := recover(); p != nil {
			matches, err = nil, fmt.Errorf("jsonpath %q cannot be followed: %v", path, p)
		}
	}()
	value, err := oj.ParseString(document)
	if err != nil {
		return nil, errors.New("the result is not JSON; read it by offset, lines or grep")
	}
	if len(path) > maxPathLength {
		return nil, fmt.Errorf("the jsonpath has %d bytes, and the limit is %d", len(path), maxPathLength)
	}
	if n := searches(path); n > maxSearches {
		return nil, fmt.Errorf("jsonpath %q searches all levels %d times, and the limit is %d: name some of the steps between",
			path, n, maxSearches)
	}
	expr, err := jp.ParseString(path)
	if err != nil {
		return nil, fmt.Errorf("jsonpath %q: %w", path, err)
	}
	return expr.Get(value), nil
}

// Bounds on a path. Each search through all levels (`..`) multiplies the
// work by the size of the document, and a model may repeat it without end.
const (
	maxPathLength = 1000
	maxSearches   = 2
)

// searches counts the `..` of a path, those inside of its filters too. Dots in
// a quoted name count as well, which refuses a path that nobody writes.
func searches(path string) int {
	n := 0
	for i := 1; i < len(path); i++ {
		if path[i] == '.' && path[i-1] == '.' {
			n++
		}
	}
	return n
}
