package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/results"
	"github.com/winnow-mcp/winnow/daemon/results/shaping"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// shaper cuts results that are too long for a context, and hands out parts of
// what was kept of them.
type shaper struct {
	tasks *tasks.Store
	// kept holds whole results; nil keeps none.
	kept *results.Store
	log  *slog.Logger
}

// OpenResults opens the store of whole results; without a storage path they
// are kept until the session ends.
func OpenResults(storage string) (*results.Store, error) {
	var o results.StoreOptions
	if storage != "" {
		o.Dir = filepath.Join(storage, "results")
	}
	return results.OpenStore(o)
}

// shape cuts a tool's result that is too long for a context, and keeps the
// whole of it for the task. offer lets the task's requests carry mcp_result.
func (s *shaper) shape(e *tasks.Entry, answer *protocol.TaskCallResult, offer func() error) error {
	v, _, err := s.tasks.Current(e)
	if err != nil {
		return err
	}
	limit := v.Settings.Results.MaxChars
	whole := shaping.Result{Content: answer.Content, Structured: answer.StructuredContent}
	if !v.Shapes() || shaping.Fits(whole, limit) {
		return nil
	}
	handle, err := s.keep(e.ID, shaping.Document(whole))
	if err != nil {
		// A full disk must not cost the model the result: it gets all of it.
		s.log.Warn("result not kept, and so not cut", "error", err)
		return nil
	}
	if err := offer(); err != nil {
		return err
	}
	t, _, _ := e.Snapshot()
	shaped := shaping.Shape(whole, limit, t.ReadResult(handle))
	if shaped.Kind == "" {
		return nil
	}
	answer.Content, answer.StructuredContent = shaped.Content, shaped.Structured
	answer.Shaped = &protocol.ShapedResult{
		Kind: protocol.ShapedKind(shaped.Kind), OmittedChars: shaped.Omitted, Handle: handle,
	}
	return nil
}

// offer lets the task's requests carry mcp_result.
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

// errNotKept is returned while the session keeps no results; why was told at
// its start.
var errNotKept = errors.New("this session keeps no results")

// keep keeps a whole result for a task.
func (s *shaper) keep(task, document string) (handle string, err error) {
	if s.kept == nil {
		return "", errNotKept
	}
	return s.kept.Put(task, document)
}

// reader returns what answers a call of mcp_result: the part itself, then where
// it stands. It runs beside other requests of the task.
func (s *shaper) reader(e *tasks.Entry, v *router.View, arguments json.RawMessage) func(ctx context.Context) *protocol.TaskCallResult {
	return func(ctx context.Context) *protocol.TaskCallResult { return s.read(ctx, e, v, arguments) }
}

func (s *shaper) read(ctx context.Context, e *tasks.Entry, v *router.View, arguments json.RawMessage) *protocol.TaskCallResult {
	var r results.Request
	if err := codec.Unmarshal(objectOf(arguments), &r); err != nil {
		return TextResult(fmt.Sprintf("The arguments do not fit: %v", err), true)
	}
	if s.kept == nil {
		return TextResult(errNotKept.Error(), true)
	}
	document, err := s.kept.Get(e.ID, r.Handle)
	if err != nil {
		return TextResult(results.ErrUnknown.Error(), true)
	}
	part, err := results.Read(ctx, document, r, pageSize(v))
	if err != nil {
		return TextResult(err.Error(), true)
	}
	answer := TextResult(part.Text, false)
	answer.Content = append(answer.Content, TextResult("["+part.Note+"]", false).Content...)
	return answer
}

// pageSize is the most characters of one part: as much as a result may have.
func pageSize(v *router.View) int {
	if limit := v.Settings.Results.MaxChars; limit > 0 {
		return limit
	}
	return protocol.DefaultSettings().Results.MaxChars
}
