package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"unicode/utf8"

	"github.com/winnow-mcp/winnow/daemon/arguments"
	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/results"
	"github.com/winnow-mcp/winnow/daemon/results/shaping"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// shaper cuts results that are too long for a context, and returns parts of the stored
// whole.
type shaper struct {
	tasks *tasks.Store
	// kept stores whole results; if nil, none are stored.
	kept *results.Store
	log  *slog.Logger
	// schemas validates structured content by the schema that clients were given.
	schemas *arguments.Validator
}

// OpenResults opens the store of whole results. Without a storage path it keeps them
// until the session ends.
func OpenResults(storage string) (*results.Store, error) {
	var o results.StoreOptions
	if storage != "" {
		o.Dir = filepath.Join(storage, "results")
	}
	return results.OpenStore(o)
}

// shape cuts a tool's result that is too long for a context, and stores the whole for the
// task. offer adds mcp_result to the task's requests. The result is cut even if it cannot
// be stored.
func (s *shaper) shape(ctx context.Context, e *tasks.Entry, d Decision, answer *protocol.TaskCallResult, offer func() error) error {
	v, _, err := s.tasks.Current(e)
	if err != nil {
		return err
	}
	whole := shaping.Result{Content: answer.Content, Structured: answer.StructuredContent, Meta: answer.Meta}
	o := shaping.Options{Chars: v.Settings.Results.MaxChars, Media: v.Settings.Results.MaxMediaChars}
	t, _, _ := e.Snapshot()
	o.Valid = s.promised(ctx, d, t)
	whole = whole.Unrepeated(o.Valid != nil)
	if shaping.Fits(whole, o) {
		if o.Chars > 0 {
			lean := whole.Lean(d.ofFile || namesFile(d.Arguments), t.Gateway != "" && o.Valid == nil)
			answer.Content, answer.StructuredContent = lean.Content, lean.Structured
		}
		return nil
	}
	kept := results.Kept{Document: shaping.DocumentOf(whole), Of: d.sources()}
	handle, err := s.keep(e, kept)
	if err != nil {
		s.log.Warn("result not kept; what is cut of it is lost", "error", err)
	} else if err := offer(); err != nil {
		return err
	}
	if err == nil {
		t, _, _ := e.Snapshot() // it may have been offered just now
		o.Read = tried(ctx, kept.Document, t.ReadResult(handle), pageSize(v))
	}
	if v.Settings.Results.References {
		o.Pass = fmt.Sprintf(`Pass it on unread: {"$from":%q} as an argument, a part by "path", "lines" or "match".`, handle)
	}
	shaped := shaping.Shape(whole, o)
	if shaped.Kind == "" {
		return nil
	}
	answer.Content, answer.StructuredContent, answer.Meta = shaped.Content, shaped.Structured, shaped.Meta
	// Strict clients refuse a result without the structured content that its schema
	// requires, unless it is an error.
	answer.IsError = answer.IsError || shaped.Invalid
	answer.Shaped = &protocol.ShapedResult{
		Kind: protocol.ShapedKind(shaped.Kind), OmittedChars: shaped.Omitted, Handle: handle,
	}
	return nil
}

// sources returns the tools whose results the result of a decision combines.
func (d *Decision) sources() []results.Source {
	if d.made != nil {
		return d.made
	}
	return []results.Source{{Server: d.ID.Server, Tool: d.ID.Tool}}
}

// fileName is a path, or a name with an extension.
var fileName = regexp.MustCompile(`[/\\]|\.[A-Za-z]\w{0,5}$`)

// namesFile reports whether arguments may name a file. The result is then a document,
// whose whitespace an editing tool needs.
func namesFile(arguments json.RawMessage) bool {
	var value any
	if json.Unmarshal(arguments, &value) != nil {
		return false
	}
	var names func(value any) bool
	names = func(value any) bool {
		switch value := value.(type) {
		case string:
			return fileName.MatchString(value)
		case []any:
			return slices.ContainsFunc(value, names)
		case map[string]any:
			return slices.ContainsFunc(slices.Collect(maps.Values(value)), names)
		}
		return false
	}
	return names(value)
}

// tried returns a reader that writes the call for a part of a document if the call
// returns something. It returns nil if the model has no tool for it.
func tried(ctx context.Context, document shaping.Document, call func(arguments string) string, limit int) shaping.Reader {
	if call == nil {
		return nil
	}
	return func(arguments string) string {
		var r results.Request
		if json.Unmarshal([]byte("{"+arguments+"}"), &r) != nil {
			return ""
		}
		part, err := results.Read(ctx, document, r, limit)
		if err != nil || part.Text == "" || part.Text == "[]" {
			return ""
		}
		return call(arguments)
	}
}

// promised returns a check of structured content by the output schema that a gateway's
// client was given, or nil if there was none.
func (s *shaper) promised(ctx context.Context, d Decision, t router.Task) func(json.RawMessage) bool {
	if d.Dispatched || d.Tool == nil || t.Gateway == "" {
		return nil
	}
	var tool struct {
		OutputSchema json.RawMessage `json:"outputSchema"`
	}
	if json.Unmarshal(d.Tool.Definition.Raw, &tool) != nil || len(tool.OutputSchema) == 0 {
		return nil
	}
	return func(structured json.RawMessage) bool {
		problems, err := s.schemas.Check(ctx, tool.OutputSchema, structured)
		return err == nil && len(problems) == 0
	}
}

// longError turns an error that is longer than a result may be into a result, which is
// cut and stored like any other. It returns nil for other errors and for errors that
// request something.
func (s *shaper) longError(e *tasks.Entry, d Decision, err error) *protocol.TaskCallResult {
	v, _, gone := s.tasks.Current(e)
	var refused *upstream.RPCError
	if errors.As(err, &refused) && refused.Code == upstream.CodeURLRequired {
		return nil
	}
	if gone != nil || v.Settings.Results.MaxChars <= 0 || utf8.RuneCountInString(err.Error()) <= v.Settings.Results.MaxChars {
		return nil
	}
	answer := TextResult(err.Error(), true)
	answer.Server, answer.Tool, answer.Attachment = d.ID.Server, d.ID.Tool, d.attachment
	return answer
}

// offer adds mcp_result to the task's requests.
func (s *shaper) offer(e *tasks.Entry, answer *protocol.TaskCallResult) error {
	v, t, err := s.tasks.Current(e)
	if err != nil {
		return err
	}
	next := v.OfferResult(t)
	if next.Generation != t.Generation {
		e.Change(next)
		a := v.Attachment(&next)
		answer.Attachment = &a
	}
	return nil
}

// errNotKept is returned if the session stores no results. The reason was reported at its
// start.
var errNotKept = errors.New("this session keeps no results")

// keep stores a whole result for a task.
func (s *shaper) keep(e *tasks.Entry, k results.Kept) (handle string, err error) {
	if s.kept == nil {
		return "", errNotKept
	}
	return s.kept.Put(results.Owner{Principal: e.Principal, Task: e.ID}, k)
}

// reader returns the function that answers a call of mcp_result: the part, then its
// position. It runs concurrently with other requests of the task.
func (s *shaper) reader(e *tasks.Entry, v *router.View, arguments json.RawMessage) func(ctx context.Context) *protocol.TaskCallResult {
	return func(ctx context.Context) *protocol.TaskCallResult { return s.read(ctx, e, v, arguments) }
}

func (s *shaper) read(ctx context.Context, e *tasks.Entry, v *router.View, arguments json.RawMessage) *protocol.TaskCallResult {
	var r results.Request
	if err := ownArguments(arguments, map[string]any{
		"handle": &r.Handle, "offset": &r.Offset, "lines": &r.Lines, "grep": &r.Grep, "jsonpath": &r.JSONPath,
	}); err != nil {
		return misfit(err)
	}
	if s.kept == nil {
		return TextResult(errNotKept.Error(), true)
	}
	kept, err := s.kept.Get(results.Owner{Principal: e.Principal, Task: e.ID}, r.Handle)
	if err != nil {
		return TextResult(results.ErrUnknown.Error(), true)
	}
	part, err := results.Read(ctx, kept.Document, r, pageSize(v))
	if err != nil {
		return TextResult(err.Error(), true)
	}
	answer := TextResult(part.Text, false)
	answer.Content = append(answer.Content, TextResult("["+part.Note+"]", false).Content...)
	return answer
}

// pageSize returns the most characters of one part: the limit of a result.
func pageSize(v *router.View) int {
	if limit := v.Settings.Results.MaxChars; limit > 0 {
		return limit
	}
	return protocol.DefaultSettings().Results.MaxChars
}
