package calls

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/results"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/protocol/ijson"
	"github.com/winnow-mcp/winnow/ranker"
	"github.com/winnow-mcp/winnow/router"
)

// maxArguments bounds the arguments after references are resolved, in bytes.
// maxReferences bounds the references in one call.
const (
	maxArguments  = 4 << 20
	maxReferences = 32
)

// origin is a result of which arguments pass on a part.
type origin struct {
	results.Source
	// part describes the part in a few words.
	part string
}

// mayRefer reports whether arguments may hold a reference.
func mayRefer(arguments json.RawMessage) bool { return bytes.Contains(arguments, []byte(`"$from"`)) }

// resolve returns a decision with the references in its arguments replaced by their
// values. given keeps the original arguments. The error is for the model. With look,
// nothing is replaced and only origins are determined.
func (s *shaper) resolve(ctx context.Context, e *tasks.Entry, d Decision, look bool) (Decision, error) {
	if !mayRefer(d.Arguments) {
		return d, nil
	}
	dec := json.NewDecoder(bytes.NewReader(d.Arguments))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) != nil {
		return d, nil // invalid JSON is refused where the tool is run
	}
	if v, _, err := s.tasks.Current(e); err != nil || !v.Settings.Results.References {
		return d, s.forbidden(value, err)
	}
	r := resolver{ctx: ctx, shaper: s, owner: results.Owner{Principal: e.Principal, Task: e.ID}, look: look}
	value, err := r.value(value, "")
	if err != nil || len(r.origins) == 0 {
		return d, err
	}
	d.given, d.origins = d.Arguments, r.origins
	if look {
		return d, nil
	}
	// Members are sorted, so that equal arguments are equal.
	if d.Arguments, err = ijson.Encode(value); err != nil {
		return d, err
	}
	if len(d.Arguments) > maxArguments {
		return d, fmt.Errorf("the arguments would have %d bytes with what they refer to, and the limit is %d: select less", len(d.Arguments), maxArguments)
	}
	return d, nil
}

// errForbidden is the model's error if the user allows no references.
var errForbidden = errors.New("the user lets no result be passed on unread (winnow.results.references is false): read the part that is needed by " +
	router.ResultName + ", and write it")

// forbidden returns an error if value contains a reference where none is allowed, or nil.
// A non-nil err takes precedence.
func (s *shaper) forbidden(value any, err error) error {
	if err != nil {
		return err
	}
	if _, is, _ := results.AsReference(value); is {
		return errForbidden
	}
	switch value := value.(type) {
	case map[string]any:
		for _, member := range value {
			if err := s.forbidden(member, nil); err != nil {
				return err
			}
		}
	case []any:
		for _, item := range value {
			if err := s.forbidden(item, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// refers reports whether the arguments of a decision hold a reference.
func (s *shaper) refers(ctx context.Context, e *tasks.Entry, d Decision) bool {
	looked, err := s.resolve(ctx, e, d, true)
	return err != nil || looked.origins != nil
}

// resolver replaces references in arguments by their values.
type resolver struct {
	ctx     context.Context //nolint:containedctx // that of one call
	shaper  *shaper
	owner   results.Owner
	look    bool
	origins []origin
	// references counts the references, and size the bytes that they add.
	references, size int
}

// value returns a value of the arguments, at path, with its references resolved.
func (r *resolver) value(value any, path string) (any, error) {
	reference, is, err := results.AsReference(value)
	if err != nil {
		return nil, fmt.Errorf("the reference at %s: %w", path, err)
	}
	if is {
		part, err := r.part(reference)
		if err != nil {
			return nil, fmt.Errorf("the reference at %s: %w", path, err)
		}
		return part, nil
	}
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			if value[name], err = r.value(member, path+"/"+name); err != nil {
				return nil, err
			}
		}
	case []any:
		for i, item := range value {
			if value[i], err = r.value(item, fmt.Sprintf("%s/%d", path, i)); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

// part returns the value of a reference.
func (r *resolver) part(reference results.Reference) (any, error) {
	if r.references++; r.references > maxReferences {
		return nil, fmt.Errorf("a call has at most %d references", maxReferences)
	}
	if r.shaper.kept == nil {
		return nil, errNotKept
	}
	kept, err := r.shaper.kept.Get(r.owner, reference.From)
	if err != nil {
		return nil, results.ErrUnknown
	}
	for _, of := range kept.Of {
		r.origins = append(r.origins, origin{of, reference.String()})
	}
	if r.look {
		return nil, nil
	}
	raw, err := results.Select(r.ctx, kept.Document, reference)
	if err != nil {
		return nil, err
	}
	if r.size += len(raw); r.size > maxArguments {
		return nil, fmt.Errorf("what the arguments refer to has more than %d bytes: select less", maxArguments)
	}
	return raw, nil
}

// crosses reports whether a decision passes one server's result to another.
func (d *Decision) crosses() bool {
	return slices.ContainsFunc(d.origins, func(o origin) bool { return o.Server != d.ID.Server })
}

// Passed describes for the user what a call passes on unread, or "" if nothing.
func (d *Decision) Passed() string {
	var b strings.Builder
	for i, o := range d.origins {
		if i == 0 {
			b.WriteString("It gets, unread by the model: ")
		} else {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "what %s of %s answered (%s)", o.Tool, o.Server, o.part)
	}
	if b.Len() > 0 {
		b.WriteByte('.')
	}
	return b.String()
}

// Remembered describes for the user what else an approval of a call permits, or "" if
// nothing. reaches reports that the user can choose the scope of the approval.
func (d *Decision) Remembered(reaches bool) string {
	switch {
	case !d.remembers():
		return ""
	case reaches:
		return fmt.Sprintf("A yes for this chat also lets tools of %s that only read get such results in it without a question, and one for always in this folder.", d.ID.Server)
	}
	return fmt.Sprintf("A yes also lets tools of %s that only read get such results without a question, in this folder.", d.ID.Server)
}

// Shown returns the arguments for display, with references unresolved.
func (d *Decision) Shown() json.RawMessage {
	if d.given != nil {
		return d.given
	}
	return d.Arguments
}

// mayPass reports whether a decision may pass results to its server without confirmation:
// back to their own server, or into a read-only tool if the user lets the one server's
// results pass to the other.
func (c *Caller) mayPass(e *tasks.Entry, d Decision) bool {
	if !d.crosses() {
		return true
	}
	if d.Tool == nil || !d.Tool.OnlyReads() {
		return false
	}
	return !slices.ContainsFunc(d.origins, func(o origin) bool {
		return o.Server != d.ID.Server && !c.options.Passes.Allowed(e.Principal, o.Server, d.ID.Server, e.ID)
	})
}

// remembers reports whether an approval of a decision also applies to later results
// between the same servers. It does not if the tool may write, nor in a program.
func (d *Decision) remembers() bool {
	return !d.once && d.crosses() && d.Tool != nil && d.Tool.ReadOnly == ranker.Yes
}

// letPass stores the user's permission for what a decision passes on: in a task, or if
// task is empty in the folder.
func (c *Caller) letPass(owner principal.Principal, d Decision, task string) {
	if !d.remembers() {
		return
	}
	for _, o := range d.origins {
		if o.Server != d.ID.Server {
			if err := c.options.Passes.Allow(owner, o.Server, d.ID.Server, task, c.options.Now()); err != nil {
				c.options.Log.Warn("it is not kept which server's results may go to which", "error", err)
			}
		}
	}
}

// errUnasked is the model's error if a result may not go to another server.
var errUnasked = errors.New("not called: the user has to allow that what one server answered goes to another, and could not be asked here; " +
	"read the part that is needed by " + "mcp_result, or ask the user")

// errHosts is the model's error for a reference in a call that the host makes.
var errHosts = errors.New("not called: references are put in by Winnow, and this tool is run by the host; read the result by mcp_result instead")

// refused answers a call whose references cannot be resolved.
func (d *Decision) refused(err error) *protocol.TaskCallResult {
	answer := TextResult(err.Error(), true)
	answer.Server, answer.Tool, answer.Attachment = d.ID.Server, d.ID.Tool, d.attachment
	return answer
}
