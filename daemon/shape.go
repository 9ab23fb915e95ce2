package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/winnow-mcp/winnow/daemon/results"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
	shaping "github.com/winnow-mcp/winnow/router/results"
)

// openResults opens the store of whole results; without a storage path they
// are kept until the session ends.
func openResults(storage string, now func() time.Time) (*results.Store, error) {
	o := results.StoreOptions{Now: now}
	if storage != "" {
		o.Dir = filepath.Join(storage, "results")
	}
	return results.OpenStore(o)
}

// shape cuts a tool's result that is too long for a context, and keeps the
// whole of it for the task. offer lets the task's requests carry mcp_result.
func (s *Server) shape(e *taskEntry, answer *protocol.TaskCallResult, offer func() error) error {
	v, _, err := s.viewOf(e)
	if err != nil {
		return err
	}
	limit := v.Settings.Results.MaxChars
	whole := shaping.Result{Content: answer.Content, Structured: answer.StructuredContent}
	if !v.Shapes() || shaping.Fits(whole, limit) {
		return nil
	}
	handle, err := s.workspace.keep(e.id, shaping.Document(whole))
	if err != nil {
		// A full disk must not cost the model the result: it gets all of it.
		s.log.Warn("result not kept, and so not cut", "error", err)
		return nil
	}
	if err := offer(); err != nil {
		return err
	}
	t, _, _ := e.snapshot()
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

// offerResult lets the task's requests carry mcp_result.
func (s *Server) offerResult(e *taskEntry, answer *protocol.TaskCallResult) error {
	v, t, err := s.viewOf(e)
	if err != nil {
		return err
	}
	next := v.OfferResult(t)
	if next.Generation != t.Generation {
		e.change(next)
		a := v.Attachment(&next)
		answer.Attachment = &a
	}
	return nil
}

// errNotKept is returned while the session keeps no results; why was told at
// its start.
var errNotKept = errors.New("this session keeps no results")

// keep keeps a whole result for a task.
func (w *workspace) keep(task, document string) (handle string, err error) {
	if w.kept == nil {
		return "", errNotKept
	}
	return w.kept.Put(task, document)
}

// forget deletes what is kept for a task that is closed.
func (w *workspace) forget(task string) error {
	if w.kept == nil {
		return nil
	}
	return w.kept.Forget(task)
}

// resultReader returns what answers a call of mcp_result: the part itself, then
// where it stands. It runs beside other requests of the task.
func (s *Server) resultReader(e *taskEntry, v *router.View, arguments json.RawMessage) func(ctx context.Context) *protocol.TaskCallResult {
	return func(ctx context.Context) *protocol.TaskCallResult { return s.readResult(ctx, e, v, arguments) }
}

func (s *Server) readResult(ctx context.Context, e *taskEntry, v *router.View, arguments json.RawMessage) *protocol.TaskCallResult {
	var r results.Request
	if err := decode(objectOf(arguments), &r); err != nil {
		return textResult(fmt.Sprintf("The arguments do not fit: %v", err), true)
	}
	if s.workspace.kept == nil {
		return textResult(errNotKept.Error(), true)
	}
	document, err := s.workspace.kept.Get(e.id, r.Handle)
	if err != nil {
		return textResult(results.ErrUnknown.Error(), true)
	}
	part, err := results.Read(ctx, document, r, pageSize(v))
	if err != nil {
		return textResult(err.Error(), true)
	}
	answer := textResult(part.Text, false)
	answer.Content = append(answer.Content, textResult("["+part.Note+"]", false).Content...)
	return answer
}

// pageSize is the most characters of one part: as much as a result may have.
func pageSize(v *router.View) int {
	if limit := v.Settings.Results.MaxChars; limit > 0 {
		return limit
	}
	return protocol.DefaultSettings().Results.MaxChars
}
