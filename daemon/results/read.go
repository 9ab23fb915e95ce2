package results

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ohler55/ojg/oj"

	"github.com/winnow-mcp/winnow/daemon/results/shaping"
)

// Request selects a part of a stored result. At most one of Lines, Grep and JSONPath is
// set; without any, Offset counts characters.
type Request struct {
	Handle string `json:"handle"`
	// Offset counts characters; with Grep and JSONPath, matches.
	Offset   int    `json:"offset"`
	Lines    string `json:"lines"`
	Grep     string `json:"grep"`
	JSONPath string `json:"jsonpath"`
}

// errSeveral is returned for a request with more than one selector.
var errSeveral = errors.New(`give one of "offset", "lines", "grep" and "jsonpath"`)

// readTime bounds one search.
const readTime = time.Second

// errReadTime is returned to the model, which can request less.
var errReadTime = fmt.Errorf(`the search took longer than %s and was ended; use a simpler expression, or read by "offset" or "lines"`, readTime)

// Read returns the requested part of a document, at most limit characters. It stops when
// ctx ends, or after a second.
func Read(ctx context.Context, document shaping.Document, r Request, limit int) (shaping.Part, error) {
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
		return shaping.Lines(document.Text, r.Lines, limit)
	case r.Grep != "":
		return shaping.Grep(document.Text, r.Grep, r.Offset, limit, stop)
	case r.JSONPath != "":
		return readJSONPath(document, r, limit, stop)
	}
	return shaping.PageAt(document.Text, r.Offset, limit)
}

// readJSONPath returns the values that a JSONPath selects, as a JSON array of those that
// fit. A single string that does not fit is read as text; of another value, the part that
// fits.
func readJSONPath(document shaping.Document, r Request, limit int, stop func() error) (shaping.Part, error) {
	value, err := parseDocument(document.Text[document.From:document.To])
	if err != nil {
		return shaping.Part{}, fmt.Errorf("%w; read it by offset, lines or grep", err)
	}
	matches, err := selectPath(value, r.JSONPath, document.To-document.From, stop)
	if err != nil {
		return shaping.Part{}, err
	}
	if len(matches) == 1 {
		if text, ok := matches[0].(string); ok && (r.Offset > 0 || utf8.RuneCountInString(text) > limit-len(`[""]`)) {
			return shaping.PageAt(text, r.Offset, limit)
		}
	}
	if r.Offset < 0 || r.Offset > len(matches) {
		return shaping.Part{}, fmt.Errorf("offset %d lies outside of the %d matches", r.Offset, len(matches))
	}
	var b strings.Builder
	size, shown, cut := len("[]"), 0, ""
	for _, m := range matches[r.Offset:] {
		text := oj.JSON(m, &oj.Options{Sort: true})
		if size += utf8.RuneCountInString(text) + len(","); size > limit {
			if shown == 0 {
				part := fragment(value, text, r.JSONPath, limit, len(matches) == 1, stop)
				b.WriteString(part.Text)
				shown, cut = 1, part.Note
			}
			break
		}
		if shown > 0 {
			b.WriteByte(',')
		}
		b.WriteString(text)
		shown++
	}
	note := fmt.Sprintf("%d of %d matches.", shown, len(matches))
	if cut != "" {
		note = fmt.Sprintf("Match %d of %d, cut. %s", r.Offset+1, len(matches), cut)
	}
	if end := r.Offset + shown; end < len(matches) {
		note += fmt.Sprintf(` Next: the same with "offset":%d.`, end)
	}
	return shaping.Part{Text: "[" + b.String() + "]", Note: note}, nil
}

// fragment returns the part of a match that fits. If it is the only match, the omitted
// parts are named by tested paths.
func fragment(root any, text, path string, limit int, only bool, stop func() error) shaping.Part {
	try := func(arguments string) string {
		var way Request
		if !only || json.Unmarshal([]byte("{"+arguments+"}"), &way) != nil || way.JSONPath == "" {
			return ""
		}
		if found, err := selectPath(root, way.JSONPath, len(text), stop); err != nil || len(found) == 0 {
			return ""
		}
		return arguments
	}
	return shaping.Fragment([]byte(text), path, limit-len("[]"), try)
}
