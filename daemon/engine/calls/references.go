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
	"github.com/winnow-mcp/winnow/ranker"
	"github.com/winnow-mcp/winnow/router"
)

// maxArguments is the most bytes of arguments with what references put in, and
// maxReferences the most of them in one call.
const (
	maxArguments  = 4 << 20
	maxReferences = 32
)

// origin is a result of which a part is passed on in arguments.
type origin struct {
	results.Source
	// part says which part of it, in a few words.
	part string
}

// mayRefer reports whether arguments may hold a reference.
func mayRefer(arguments json.RawMessage) bool { return bytes.Contains(arguments, []byte(`"$from"`)) }

// resolve returns a decision in which what the references of the arguments stand
// for is put in; given keeps the arguments as the model wrote them. The error is
// for the model. With look alone nothing is put in: it is only said what would be.
func (s *shaper) resolve(ctx context.Context, e *tasks.Entry, d Decision, look bool) (Decision, error) {
	if !mayRefer(d.Arguments) {
		return d, nil
	}
	dec := json.NewDecoder(bytes.NewReader(d.Arguments))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) != nil {
		return d, nil // what is no JSON is refused where the tool is run
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
	var b bytes.Buffer
	enc := json.NewEncoder(&b) // members in order, so that equal arguments are equal
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return d, err
	}
	if d.Arguments = bytes.TrimSpace(b.Bytes()); len(d.Arguments) > maxArguments {
		return d, fmt.Errorf("the arguments would have %d bytes with what they refer to, and the limit is %d: select less", len(d.Arguments), maxArguments)
	}
	return d, nil
}

// errForbidden is sent to the model where the user wants no references.
var errForbidden = errors.New("the user lets no result be passed on unread (winnow.results.references is false): read the part that is needed by " +
	router.ResultName + ", and write it")

// forbidden returns the error for arguments that hold a reference where none may
// stand; nil for arguments without one. err is another error that goes before.
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

// resolver puts into arguments what their references stand for.
type resolver struct {
	ctx     context.Context //nolint:containedctx // that of one call
	shaper  *shaper
	owner   results.Owner
	look    bool
	origins []origin
	// references and size are how many there are, and the bytes that they put in.
	references, size int
}

// value returns a value of the arguments, at path, with what it refers to.
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

// part returns what a reference stands for.
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

// crosses reports whether a decision passes what one server answered on to
// another.
func (d *Decision) crosses() bool {
	return slices.ContainsFunc(d.origins, func(o origin) bool { return o.Server != d.ID.Server })
}

// Passed says what a call passes on unread, for the user; empty where it passes
// on nothing.
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

// Remembered says what else a yes to a call lets pass, for the user; empty for
// nothing. reaches: the user can say how far a yes reaches.
func (d *Decision) Remembered(reaches bool) string {
	switch {
	case !d.remembers():
		return ""
	case reaches:
		return fmt.Sprintf("A yes for this chat also lets tools of %s that only read get such results in it without a question, and one for always in this folder.", d.ID.Server)
	}
	return fmt.Sprintf("A yes also lets tools of %s that only read get such results without a question, in this folder.", d.ID.Server)
}

// Shown are the arguments as the user is shown them: with references in their
// place.
func (d *Decision) Shown() json.RawMessage {
	if d.given != nil {
		return d.given
	}
	return d.Arguments
}

// mayPass reports whether what a decision passes on may go to its server without
// a question: to the server that it came from, or into a tool that only reads,
// where the user has let pass what the one server answers to the other.
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

// remembers reports whether a yes to a decision is also one to what the same
// servers pass on later: not where its tool may write, and not in a program.
func (d *Decision) remembers() bool {
	return !d.once && d.crosses() && d.Tool != nil && d.Tool.ReadOnly == ranker.Yes
}

// letPass remembers that the user let pass what a decision passes on, in a task,
// or without one in the folder.
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

// errUnasked is sent to the model where a result may not go to another server.
var errUnasked = errors.New("not called: the user has to allow that what one server answered goes to another, and could not be asked here; " +
	"read the part that is needed by " + "mcp_result, or ask the user")

// errHosts is sent to the model of a reference in a call that the host makes.
var errHosts = errors.New("not called: references are put in by Winnow, and this tool is run by the host; read the result by mcp_result instead")

// refused answers a call whose references cannot be put in.
func (d *Decision) refused(err error) *protocol.TaskCallResult {
	answer := TextResult(err.Error(), true)
	answer.Server, answer.Tool, answer.Attachment = d.ID.Server, d.ID.Tool, d.attachment
	return answer
}
