package results

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ohler55/ojg/oj"

	"github.com/winnow-mcp/winnow/daemon/results/shaping"
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

// readTime bounds the search for a part.
const readTime = time.Second

// errReadTime is told to the model, which can ask for less.
var errReadTime = fmt.Errorf(`the search took longer than %s and was ended; use a simpler expression, or read by "offset" or "lines"`, readTime)

// Read returns the part of a document that a request asks for, at most limit
// characters of it. It ends with ctx, after a second at the latest.
func Read(ctx context.Context, document string, r Request, limit int) (shaping.Part, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, readTime, errReadTime)
	defer cancel()
	stop := func() error { return context.Cause(ctx) }
	ways := 0
	for _, way := range []string{r.Lines, r.Grep, r.JSONPath} {
		if way != "" {
			ways++
		}
	}
	switch {
	case ways > 1:
		return shaping.Part{}, errSeveral
	case r.Lines != "":
		return shaping.Lines(document, r.Lines, limit)
	case r.Grep != "":
		return shaping.Grep(document, r.Grep, r.Offset, limit, stop)
	case r.JSONPath != "":
		return readJSONPath(document, r, limit, stop)
	}
	return shaping.PageAt(document, r.Offset, limit)
}

// readJSONPath returns the values that a JSONPath selects, as a JSON array of
// those that fit.
func readJSONPath(document string, r Request, limit int, stop func() error) (shaping.Part, error) {
	matches, err := selectPath(document, r.JSONPath, stop)
	if err != nil {
		return shaping.Part{}, err
	}
	if r.Offset < 0 || r.Offset > len(matches) {
		return shaping.Part{}, fmt.Errorf("offset %d lies outside of the %d matches", r.Offset, len(matches))
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
		return shaping.Part{}, fmt.Errorf("match %d of %d alone is longer than %d characters; "+
			"select less of it, such as by %s", r.Offset, len(matches), limit, narrower(matches[r.Offset], r.JSONPath))
	}
	note := fmt.Sprintf("%d of %d matches.", shown, len(matches))
	if end := r.Offset + shown; end < len(matches) {
		note += fmt.Sprintf(` Next: the same with "offset":%d.`, end)
	}
	return shaping.Part{Text: "[" + b.String() + "]", Note: note}, nil
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
