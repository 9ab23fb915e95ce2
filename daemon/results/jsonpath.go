package results

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/ohler55/ojg/jp"
	"github.com/ohler55/ojg/oj"

	"github.com/winnow-mcp/winnow/daemon/results/shaping"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// Bounds on a path and its document. The library cannot be interrupted, so it is called
// only for one step from one value, which is short. The walk between them is here, and
// can stop.
const (
	maxPathLength = 1000
	// maxSearches bounds the `..` in a path: each multiplies the work by the size of the
	// document.
	maxSearches = 2
	// maxPathDocument bounds the bytes of a document, maxPathDepth its nesting.
	maxPathDocument = 64 << 20
	maxPathDepth    = 1000
	// maxSelected bounds the values that one step selects.
	maxSelected = 1_000_000
	// maxFilterWork bounds the expressions of filters, each of which runs uninterrupted:
	// instructions of the program times bytes of the document.
	maxFilterWork = 100_000_000
	// stepsToStop is the number of steps between two calls of stop.
	stepsToStop = 256
)

// errFilter is returned for unsupported filters, whose cost could multiply with every
// value.
var errFilter = errors.New("its filter is not supported: compare values below @ by name or index with constants or with each other, " +
	"such as [?(@.price < 10 && @.tags[0] == 'new')]; of functions there are length, match and search")

// selectPath returns the values that a path selects. size is the size of the document in
// bytes. It recovers from panics of the library on paths that it parses but cannot
// follow.
func selectPath(value any, path string, size int, stop func() error) (matches []any, err error) {
	defer func() {
		if p := recover(); p != nil {
			matches, err = nil, fmt.Errorf("jsonpath %q cannot be followed: %v", path, p)
		}
	}()
	expr, err := parsePath(path, size)
	if err != nil {
		return nil, err
	}
	w := walk{root: value, stop: stop}
	matches, err = w.follow(expr)
	if err != nil {
		return nil, fmt.Errorf("jsonpath %q: %w", path, err)
	}
	return matches, nil
}

// parseDocument parses a document for paths.
func parseDocument(document string) (any, error) {
	switch {
	case len(document) > maxPathDocument:
		return nil, fmt.Errorf("the result has more than the %d MB in which a jsonpath is followed", maxPathDocument>>20)
	case ijson.Depth([]byte(document)) > maxPathDepth:
		return nil, fmt.Errorf("the result is nested deeper than %d levels", maxPathDepth)
	}
	value, err := oj.ParseString(document)
	if err != nil || document == "" {
		return nil, errors.New("the result is not JSON")
	}
	return value, nil
}

// parsePath parses a path. It refuses one that could be slow in a document of size bytes.
func parsePath(path string, size int) (jp.Expr, error) {
	if len(path) > maxPathLength {
		return nil, fmt.Errorf("the jsonpath has %d bytes, and the limit is %d", len(path), maxPathLength)
	}
	expr, err := jp.ParseString(path)
	if err != nil {
		return nil, fmt.Errorf("jsonpath %q: %w", path, err)
	}
	searches := 0
	for _, step := range expr {
		switch step := step.(type) {
		case jp.Descent:
			searches++
		case *jp.Filter:
			if err := checkFilter(step.Inspect(), size); err != nil {
				return nil, fmt.Errorf("jsonpath %q: %w", path, err)
			}
		}
	}
	if searches > maxSearches {
		return nil, fmt.Errorf("jsonpath %q searches all levels %d times, and the limit is %d: name some of the steps between",
			path, searches, maxSearches)
	}
	return expr, nil
}

// checkFilter refuses in a filter: paths with several values, whose comparisons multiply;
// paths from the root; expressions from the document; and expressions too expensive for a
// document of size bytes. part is a form of the filter or one of its operands.
func checkFilter(part any, size int) error {
	switch part := part.(type) {
	case *jp.Form:
		if _, is := part.Right.(jp.Expr); is && slices.Contains([]string{"~=", "match", "search"}, part.Op) {
			return errFilter
		}
		return errors.Join(checkFilter(part.Left, size), checkFilter(part.Right, size))
	case jp.Expr:
		for _, step := range part {
			switch step.(type) {
			case jp.At, jp.Bracket, jp.Child, jp.Nth:
			default:
				return errFilter
			}
		}
	case *regexp.Regexp:
		return checkExpression(part.String(), size)
	case string:
		return checkExpression(part, size) // one that is not an expression is cheap
	}
	return nil
}

func checkExpression(expression string, size int) error {
	if program, err := shaping.Program(expression); err == nil && program*size > maxFilterWork {
		return fmt.Errorf("its filter has the expression %s: %w", expression, shaping.ErrWork)
	}
	return nil
}

// walk evaluates a path.
type walk struct {
	root  any
	stop  func() error
	steps int
}

// follow returns the values that a path selects, in document order; members of an object
// are sorted by name.
func (w *walk) follow(expr jp.Expr) ([]any, error) {
	selected := []any{w.root}
	for i, step := range expr {
		var next []any
		for _, value := range selected {
			found, err := w.take(step, value, i == len(expr)-1)
			if err != nil {
				return nil, err
			}
			if next = append(next, found...); len(next) > maxSelected {
				return nil, fmt.Errorf("it selects more than %d values; name some of the steps", maxSelected)
			}
		}
		selected = next
	}
	return selected, nil
}

// take evaluates one step from one value.
func (w *walk) take(step jp.Frag, value any, last bool) ([]any, error) {
	if err := w.count(); err != nil {
		return nil, err
	}
	switch step := step.(type) {
	case jp.Root, jp.At, jp.Bracket:
		return []any{value}, nil
	case jp.Wildcard:
		return children(value), nil
	case jp.Descent:
		return w.descend(value, last)
	case *jp.Filter:
		return w.filter(step, value)
	case jp.Child, jp.Nth, jp.Slice, jp.Union:
		if !isContainer(value) {
			return nil, nil
		}
		return jp.Expr{step}.Get(value), nil
	}
	return nil, fmt.Errorf("the step %v is not supported", step)
}

// count counts a step, and calls stop every stepsToStop steps.
func (w *walk) count() error {
	if w.steps++; w.steps%stepsToStop != 0 {
		return nil
	}
	return w.stop()
}

// descend returns a value and all containers in it; as the last step, all values in it.
func (w *walk) descend(value any, last bool) ([]any, error) {
	var found []any
	var visit func(value any) error
	visit = func(value any) error {
		if err := w.count(); err != nil {
			return err
		}
		if !last {
			found = append(found, value)
		}
		for _, child := range children(value) {
			if last {
				found = append(found, child)
			}
			if !isContainer(child) {
				continue
			}
			if err := visit(child); err != nil {
				return err
			}
		}
		return nil
	}
	err := visit(value)
	return found, err
}

// filter returns the children that match a filter.
func (w *walk) filter(f *jp.Filter, value any) ([]any, error) {
	var found []any
	for _, child := range children(value) {
		if err := w.stop(); err != nil {
			return nil, err
		}
		if f.Match(child) {
			found = append(found, child)
		}
	}
	return found, nil
}

func isContainer(value any) bool {
	switch value.(type) {
	case []any, map[string]any:
		return true
	}
	return false
}

// children returns the items of an array, or the values of an object sorted by name.
func children(value any) []any {
	switch value := value.(type) {
	case []any:
		return value
	case map[string]any:
		all := make([]any, 0, len(value))
		for _, name := range slices.Sorted(maps.Keys(value)) {
			all = append(all, value[name])
		}
		return all
	}
	return nil
}
