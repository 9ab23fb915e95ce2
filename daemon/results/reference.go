package results

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/ohler55/ojg/oj"

	"github.com/winnow-mcp/winnow/daemon/results/shaping"
)

// Reference stands in arguments for a part of a stored result, or for its whole text. At
// most one of Path, Lines and Match is set.
type Reference struct {
	From string
	// Path is a JSONPath; if it selects several values, they are inserted as an array.
	// Lines is a range such as `10-20`. Match is a regular expression, whose first match,
	// or first group in it, is inserted.
	Path, Lines, Match string
}

// referenceMember is the member that makes an object a reference.
const referenceMember = "$from"

// AsReference decodes a reference; ok is false for any other value. The error describes a
// malformed reference.
func AsReference(value any) (r Reference, ok bool, err error) {
	object, _ := value.(map[string]any)
	if r.From, ok = object[referenceMember].(string); !ok || !strings.HasPrefix(r.From, "r_") {
		return Reference{}, false, nil
	}
	ways := 0
	for name, member := range object {
		text, isText := member.(string)
		var into *string
		switch name {
		case referenceMember:
			continue
		case "path":
			into = &r.Path
		case "lines":
			into = &r.Lines
		case "match":
			into = &r.Match
		}
		if into == nil || !isText || text == "" {
			return r, true, fmt.Errorf(`%q is no way to say which part: give one of "path", "lines" and "match", as a text`, name)
		}
		*into = text
		ways++
	}
	if ways > 1 {
		return r, true, errors.New(`give one of "path", "lines" and "match"`)
	}
	return r, true, nil
}

// String describes the selected part briefly: quoted, printable and truncated.
func (r Reference) String() string {
	switch {
	case r.Path != "":
		return shown(r.Path)
	case r.Lines != "":
		return "lines " + shown(r.Lines)
	case r.Match != "":
		return "what matches " + shown(r.Match)
	}
	return "all of it"
}

// maxShown bounds the characters shown of a model's text.
const maxShown = 80

// shown quotes a text of a model, so that it is not taken for Winnow's.
func shown(text string) string {
	if runes := []rune(text); len(runes) > maxShown {
		return strconv.Quote(string(runes[:maxShown])) + "…"
	}
	return strconv.Quote(text)
}

// Select returns the part of a document that a reference selects, as JSON. It stops when
// ctx ends, or after a second.
func Select(ctx context.Context, document shaping.Document, r Reference) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, readTime, errReadTime)
	defer cancel()
	text := document.Text
	switch {
	case r.Path != "":
		return selectValue(document, r.Path, func() error { return context.Cause(ctx) })
	case r.Lines != "":
		part, err := shaping.Lines(text, r.Lines, len(text))
		if err != nil {
			return nil, err
		}
		text = part.Text
	case r.Match != "":
		found, err := firstMatch(text, r.Match)
		if err != nil {
			return nil, err
		}
		text = found
	}
	return json.Marshal(text)
}

func selectValue(document shaping.Document, path string, stop func() error) (json.RawMessage, error) {
	value, err := parseDocument(document.Text[document.From:document.To])
	if err != nil {
		return nil, fmt.Errorf("%w; take it whole, or a part by \"lines\" or \"match\"", err)
	}
	matches, err := selectPath(value, path, document.To-document.From, stop)
	switch {
	case err != nil:
		return nil, err
	case len(matches) == 0:
		return nil, fmt.Errorf("jsonpath %q selects nothing", path)
	case len(matches) == 1:
		return []byte(oj.JSON(matches[0], &oj.Options{Sort: true})), nil
	}
	return []byte(oj.JSON(matches, &oj.Options{Sort: true})), nil
}

// firstMatch returns the first match of an expression, or its first group. The search
// cannot be interrupted, so an expensive one is refused.
func firstMatch(text, expression string) (string, error) {
	size, err := shaping.Program(expression)
	if err == nil && size*len(text) > maxFilterWork {
		err = shaping.ErrWork
	}
	if err != nil {
		return "", fmt.Errorf("match: %w", err)
	}
	re, err := regexp.Compile(expression)
	if err != nil {
		return "", fmt.Errorf("match: %w", err)
	}
	found := re.FindStringSubmatch(text)
	switch {
	case found == nil:
		return "", fmt.Errorf("nothing matches %q", expression)
	case len(found) > 1:
		return found[1], nil
	}
	return found[0], nil
}
