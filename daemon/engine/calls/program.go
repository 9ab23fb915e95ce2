package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/engine/tasks"
	"github.com/winnow-mcp/winnow/daemon/program"
	"github.com/winnow-mcp/winnow/daemon/results"
	"github.com/winnow-mcp/winnow/daemon/results/shaping"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// Errors of a program, for the model.
var (
	errNoPrograms     = errors.New("programs are off here (winnow.results.programs); call the tools one by one")
	errUnaskedProgram = errors.New("not called: the user has to be asked about this tool, and cannot be while a program runs here; call it by itself")
	errProgramHosts   = errors.New("not called: this tool is run by the host, which a program does not reach; call it by itself")
	errProgramOwn     = errors.New("not called: a program calls tools of servers, and none of Winnow's own")
)

// programRun is a running program of a task.
type programRun struct {
	caller *Caller
	task   *tasks.Entry
	outer  Call
	parsed *program.Program

	mu sync.Mutex
	// answered holds the tools that have answered, and calls the outcome of each call, in
	// the order in which they ended.
	answered []results.Source
	calls    []string
	// ofFile reports that a tool whose arguments name a file has answered.
	ofFile bool
}

// answer returns the function that answers the call of mcp_run. It runs concurrently with
// other requests of the task; each of its calls is queued among them.
func (r *programRun) answer(v *router.View) func(ctx context.Context) *protocol.TaskCallResult {
	return func(ctx context.Context) *protocol.TaskCallResult {
		if !v.Programs() {
			return TextResult(errNoPrograms.Error(), true)
		}
		var source string
		if err := ownArguments(r.outer.Arguments, map[string]any{"program": &source}); err != nil {
			return misfit(err)
		}
		var err error
		if r.parsed, err = program.Parse(source); err != nil {
			return TextResult(err.Error(), true)
		}
		text, err := r.parsed.Run(ctx, program.DefaultLimits(), r.call)
		if err != nil {
			return TextResult(r.failed(err), true)
		}
		answer, shaper := TextResult(text, false), r.caller.shaper
		err = shaper.shape(ctx, r.task, Decision{made: append([]results.Source{}, r.answered...), ofFile: r.ofFile}, answer, func() error {
			_, err := tasks.InOrder(ctx, r.task, func() (any, error) {
				err := shaper.offer(r.task, answer)
				r.task.AddState(answer.Attachment, r.outer.WantState)
				return nil, err
			})()
			return err
		})
		if err != nil {
			return TextResult(err.Error(), true)
		}
		return answer
	}
}

// failed says why a program ended, and what it has done before that.
func (r *programRun) failed(err error) string {
	text := "The program ended. " + err.Error()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.calls) > 0 {
		text += "\nCalls that it made: " + strings.Join(r.calls, ", ") + "."
	}
	return text
}

// call makes a call of a program. The rules are those for a call by mcp_call: scope,
// lock, schema, confirmation and record. The program gets the whole result.
func (r *programRun) call(ctx context.Context, k program.Call) (program.Answer, error) {
	if router.IsMetaTool(k.Name) {
		return program.Answer{}, errProgramOwn
	}
	c, e := r.caller, r.task
	call := Call{
		Name: router.CallName, Arguments: codec.Marshal(map[string]any{"name": k.Name, "arguments": k.Arguments}),
		Meta: r.outer.Meta, Caller: r.outer.Caller, Client: r.outer.Client, Confirm: r.confirmer(), program: true,
	}
	d, err := tasks.InOrder(ctx, e, func() (Decision, error) { return c.decide(ctx, e, call) })()
	if err == nil {
		d, err = r.prepared(ctx, d, k.Own)
	}
	if err != nil {
		return program.Answer{}, err
	}
	answer, err := c.run(ctx, e, d, call)
	outcome := "answered"
	if err != nil || answer.IsError {
		outcome = "failed"
	}
	r.note(d, outcome)
	switch {
	case err != nil:
		return program.Answer{}, err
	case answer.IsError:
		return program.Answer{}, errors.New(textOf(answer))
	}
	return valueOf(answer, namesFile(d.Arguments)), nil
}

// prepared returns a decision with its references resolved and with the origins that its
// arguments may contain. The error says why the call is not made.
func (r *programRun) prepared(ctx context.Context, d Decision, own bool) (Decision, error) {
	switch {
	case d.answer != nil:
		return d, errors.New(textOf(d.answer))
	case d.host || d.Tool == nil:
		return d, errProgramHosts
	}
	d, err := r.caller.shaper.resolve(ctx, r.task, d, false)
	if err != nil {
		return d, err
	}
	d.once = true
	if !own {
		r.mu.Lock()
		for _, of := range r.answered {
			d.origins = append(d.origins, origin{of, "in a program"})
		}
		r.mu.Unlock()
	}
	answer, err := r.caller.misfits(ctx, r.task, d)
	if err == nil && answer != nil {
		err = errors.New(textOf(answer))
	}
	return d, err
}

// confirmer returns the function that asks the user about a call: the outer call's, or
// the host's.
func (r *programRun) confirmer() Confirm {
	ask := r.caller.options.Ask
	if r.outer.Confirm != nil {
		return oneByOne(r.outer.Confirm)
	}
	if ask == nil {
		return nil
	}
	return oneByOne(func(ctx context.Context, d Decision) (Answer, error) {
		allowed, err := ask(ctx, protocol.ClaimConfirmParams{
			Task: r.task.ID, Server: d.ID.Server, Tool: d.ID.Tool, Arguments: d.Shown(), Program: true, Why: d.Passed(),
		})
		if err != nil {
			return Answer{}, fmt.Errorf("not called: the user could not be asked: %w", err)
		}
		if !allowed {
			return Answer{Asked: true}, errors.New("not called: the user did not want it")
		}
		return Answer{Asked: true}, nil
	})
}

// oneByOne serializes questions to the user. The time spent in them does not count for
// the program.
func oneByOne(ask Confirm) Confirm {
	return func(ctx context.Context, d Decision) (answer Answer, err error) {
		err = program.Ask(ctx, func() error {
			answer, err = ask(ctx, d)
			return err
		})
		return answer, err
	}
}

// note records the outcome of a call.
func (r *programRun) note(d Decision, outcome string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, d.ID.Tool+" ("+outcome+")")
	of := results.Source{Server: d.ID.Server, Tool: d.ID.Tool}
	if outcome == "answered" && !slices.Contains(r.answered, of) {
		r.answered = append(r.answered, of)
	}
	r.ofFile = r.ofFile || outcome == "answered" && namesFile(d.Arguments)
}

// valueOf returns a result as a program gets it: its structured content, or its text
// parsed as JSON, or else the text. The text of a file is not parsed, because a program
// may write it to another file.
func valueOf(answer *protocol.TaskCallResult, ofFile bool) program.Answer {
	if s := answer.StructuredContent; len(s) > 0 && string(s) != "null" {
		return program.Answer{JSON: s}
	}
	text := shaping.DocumentOf(shaping.Result{Content: answer.Content}).Text
	if !ofFile && json.Valid([]byte(text)) {
		return program.Answer{JSON: json.RawMessage(text)}
	}
	return program.Answer{Text: text}
}

// textOf returns the texts of a result.
func textOf(answer *protocol.TaskCallResult) string {
	return shaping.DocumentOf(shaping.Result{Content: answer.Content}).Text
}
