package arguments

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Limits of a [Validator].
const (
	// maxSchemas is how many compiled schemas are cached.
	maxSchemas = 256
	// maxProblems is the most problems reported for one call.
	maxProblems = 8
)

// Problem is one error in arguments.
type Problem struct {
	// Path is its place, such as `/items/0/id`; "" means the arguments themselves.
	Path string
	// Message says what is wrong, in English.
	Message string
}

// String returns the problem on one line.
func (p Problem) String() string {
	if p.Path == "" {
		return p.Message
	}
	return p.Path + ": " + p.Message
}

// Validator validates arguments, and caches compiled schemas. The zero value is ready to
// use. Safe for concurrent use.
type Validator struct {
	// mu guards compiled, which maps JSON to schemas, nil for an invalid one.
	mu       sync.Mutex
	compiled map[string]*jsonschema.Schema
}

// checkTime is the time limit of a validation.
const checkTime = time.Second

// Check returns the problems of arguments under a schema. It returns nil if they fit, or
// if the schema is unusable or takes longer than a second, because it comes from a
// server. The error is ctx's.
func (v *Validator) Check(ctx context.Context, schema, arguments json.RawMessage) ([]Problem, error) {
	within, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	found := make(chan []Problem, 1)
	// The library cannot be interrupted. Its work is limited: see bounded.
	go func() { found <- v.check(schema, arguments) }()
	select {
	case problems := <-found:
		return problems, nil
	case <-within.Done():
		return nil, ctx.Err()
	}
}

func (v *Validator) check(schema, arguments json.RawMessage) (found []Problem) {
	defer func() {
		if recover() != nil {
			found = nil // a schema on which the library panics reports no problems
		}
	}()
	compiled := v.schema(schema)
	if compiled == nil {
		return nil
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(arguments))
	if err != nil {
		return []Problem{{Message: fmt.Sprintf("the arguments are not JSON: %v", err)}}
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(compiled.Validate(value), &invalid) {
		return nil
	}
	return problems(invalid)
}

// schema returns a schema compiled.
func (v *Validator) schema(raw json.RawMessage) *jsonschema.Schema {
	key := string(raw)
	v.mu.Lock()
	compiled, known := v.compiled[key]
	v.mu.Unlock()
	if known {
		return compiled
	}
	compiled = compile(raw)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.compiled == nil || len(v.compiled) >= maxSchemas {
		v.compiled = map[string]*jsonschema.Schema{}
	}
	v.compiled[key] = compiled
	return compiled
}

// nowhere refuses to load references. The library would read files by default, and a
// server must not choose these.
type nowhere struct{}

// Load fails. It implements jsonschema.URLLoader.
func (nowhere) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s is outside of the schema", url)
}

// compile compiles a schema, or returns nil if it is invalid.
func compile(raw json.RawMessage) (compiled *jsonschema.Schema) {
	defer func() {
		if recover() != nil {
			compiled = nil // the library panics on some schemas: arguments are not checked then
		}
	}()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil
	}
	const url = "tool:schema"
	c := jsonschema.NewCompiler()
	c.UseLoader(nowhere{})
	c.UseRegexpEngine(boundedRegexp)
	if c.AddResource(url, document) != nil {
		return nil
	}
	compiled, err = c.Compile(url)
	if err != nil {
		return nil
	}
	return compiled
}

// problems returns the leaves of an error, because inner nodes only say that something
// below them is wrong.
func problems(invalid *jsonschema.ValidationError) []Problem {
	printer := message.NewPrinter(language.English)
	var found []Problem
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			walk(cause)
		}
		if len(e.Causes) > 0 {
			return
		}
		if _, cycle := e.ErrorKind.(*kind.RefCycle); cycle {
			return // the schema's fault, not the arguments'
		}
		p := Problem{Path: pointer(e.InstanceLocation), Message: e.ErrorKind.LocalizedString(printer)}
		if !slices.Contains(found, p) {
			found = append(found, p)
		}
	}
	walk(invalid)
	slices.SortStableFunc(found, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) })
	return found[:min(len(found), maxProblems)]
}

func pointer(steps []string) string {
	var b strings.Builder
	for _, s := range steps {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(s))
	}
	return b.String()
}
