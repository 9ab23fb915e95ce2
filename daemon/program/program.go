package program

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Limits bound a program. All are positive, except that Time may be 0.
type Limits struct {
	// Steps is the number of interpreter steps.
	Steps uint64
	// Bytes bounds the bytes that the program allocates, including results of tools.
	// Freed values count too.
	Bytes int64
	// Work bounds the bytes that the program reads, plus 256 for each value.
	Work int64
	// Calls bounds the tool calls, AtOnce those that run at the same time.
	Calls, AtOnce int
	// Output bounds the bytes that the program returns and prints.
	Output int
	// Time bounds the duration, without the time in [Ask]; 0 means no limit.
	Time time.Duration
}

// DefaultLimits returns the limits of mcp_run, far above what recorded runs need.
func DefaultLimits() Limits {
	return Limits{Steps: 1_000_000, Bytes: 64 << 20, Work: 512 << 20, Calls: 50, AtOnce: 8, Output: 1 << 20, Time: 5 * time.Minute}
}

// maxSource bounds the bytes of a program. The parser recurses with the source, so it
// bounds the stack too.
const maxSource = 16 << 10

// resultName is the variable that a program returns.
const resultName = "result"

// Answer is the result of a tool: a JSON value or a text.
type Answer struct {
	JSON json.RawMessage
	// Text is used if JSON is empty.
	Text string
}

// Call is a tool call of a program.
type Call struct {
	Name string
	// Arguments is a JSON object.
	Arguments json.RawMessage
	// Own: neither the arguments nor the decision to call can depend on a tool's result.
	// Either no tool has returned before, or the call is literal in the program, outside
	// loops, conditions and functions.
	Own bool
}

// Tool calls a tool. It is called concurrently for `parallel`.
type Tool func(ctx context.Context, c Call) (Answer, error)

// Program is a parsed program.
type Program struct{ compiled *starlark.Program }

// fileName is the source's name in positions.
const fileName = "program"

// Parse parses a program. The error has the line.
func Parse(source string) (*Program, error) {
	if len(source) > maxSource {
		return nil, fmt.Errorf("the program has %d bytes, and the limit is %d", len(source), maxSource)
	}
	options := &syntax.FileOptions{Set: true, TopLevelControl: true, GlobalReassign: true}
	file, err := options.Parse(fileName, source, 0)
	if err != nil {
		return nil, located(err)
	}
	var w rewriter
	if w.program(file); w.err != nil {
		return nil, w.err
	}
	compiled, err := starlark.FileProgram(file, isBuiltin)
	if err != nil {
		return nil, located(err)
	}
	return &Program{compiled}, nil
}

// Run runs the program, and returns what it printed and its result: a text, or a value as
// JSON. The error has the line at which the program ended. Run ends with ctx, and calls
// no tool after it has returned.
func (p *Program) Run(ctx context.Context, l Limits, tool Tool) (string, error) {
	ctx, stopClock := timed(ctx, l.Time)
	defer stopClock()
	r := &run{ctx: ctx, limits: l, tool: tool, meter: meter{ctx: ctx, bytes: l.Bytes, work: l.Work}}
	thread := &starlark.Thread{Name: fileName, Print: r.print}
	thread.SetMaxExecutionSteps(l.Steps)
	thread.OnMaxSteps = func(thread *starlark.Thread) {
		thread.Cancel(fmt.Sprintf("the program took more than %d steps", l.Steps))
	}
	stop := context.AfterFunc(ctx, func() { thread.Cancel(context.Cause(ctx).Error()) })
	defer stop()
	globals, err := p.compiled.Init(thread, r.builtins())
	if err != nil {
		return "", located(err)
	}
	value := globals[resultName]
	if value == nil {
		if r.printed.Len() == 0 {
			return "", fmt.Errorf("the program returns nothing: assign to %q what you want to see", resultName)
		}
		return r.printed.String(), nil
	}
	if text, ok := starlark.AsString(value); ok {
		return r.output(text)
	}
	text, err := r.encode(value)
	if err != nil {
		return "", fmt.Errorf("%s: %w", resultName, err)
	}
	return r.output(text)
}

// run is one run of a program.
type run struct {
	ctx     context.Context //nolint:containedctx // that of the run
	limits  Limits
	tool    Tool
	meter   meter
	calls   int
	printed strings.Builder
	// answered: a tool has returned. own: the current call is literal in the program.
	answered, own bool
}

var errOutput = errors.New("the program returns more than it may; choose less of it")

func (r *run) output(text string) (string, error) {
	if r.printed.Len()+len(text) > r.limits.Output {
		return "", errOutput
	}
	return r.printed.String() + text, nil
}

func (r *run) print(_ *starlark.Thread, text string) {
	if r.printed.Len()+len(text) < r.limits.Output {
		r.printed.WriteString(text + "\n")
	}
}

// call is the builtin that calls a tool: call("name", {…}), or call("name", member=…).
func (r *run) call(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	one, err := r.wanted(args, kwargs)
	if err != nil {
		return nil, err
	}
	answers, err := r.ask([]Call{one})
	if err != nil {
		return nil, err
	}
	return answers[0], nil
}

// parallel is the builtin that calls several tools at once: parallel([("name", {…}), …]).
// It returns the results in the same order.
func (r *run) parallel(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var list starlark.Iterable
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &list); err != nil {
		return nil, err
	}
	var all []Call
	for item := range starlark.Elements(list) {
		pair, ok := item.(starlark.Sequence)
		if !ok || pair.Len() > 2 {
			return nil, fmt.Errorf("parallel: each call is a list of a tool's name and its arguments, as in %s", `parallel([("name", {"a": 1})])`)
		}
		var parts starlark.Tuple
		for part := range starlark.Elements(pair) {
			parts = append(parts, part)
		}
		one, err := r.wanted(parts, nil)
		if err != nil {
			return nil, err
		}
		if all = append(all, one); len(all) > r.limits.Calls {
			break
		}
	}
	answers, err := r.ask(all)
	if err != nil {
		return nil, err
	}
	return starlark.NewList(answers), nil
}

// wanted decodes the arguments of call.
func (r *run) wanted(args starlark.Tuple, kwargs []starlark.Tuple) (Call, error) {
	if len(args) == 0 || len(args) > 2 {
		return Call{}, errors.New(`a call is call("name", {"argument": value})`)
	}
	name, ok := starlark.AsString(args[0])
	if !ok {
		return Call{}, fmt.Errorf("the name of a tool is a text, not %s", args[0].Type())
	}
	arguments := starlark.NewDict(len(kwargs))
	if len(args) == 2 {
		given, ok := args[1].(*starlark.Dict)
		if !ok {
			return Call{}, fmt.Errorf("the arguments of %s are a dict, not %s", name, args[1].Type())
		}
		arguments = given
	}
	if len(kwargs) > 0 && len(args) == 2 {
		return Call{}, fmt.Errorf("give the arguments of %s as a dict or by name, not both", name)
	}
	for _, pair := range kwargs {
		if err := arguments.SetKey(pair[0], pair[1]); err != nil {
			return Call{}, err
		}
	}
	raw, err := r.encode(arguments)
	if err != nil {
		return Call{}, fmt.Errorf("the arguments of %s: %w", name, err)
	}
	return Call{name, json.RawMessage(raw), r.own || !r.answered}, nil
}

// ask makes calls, up to AtOnce concurrently, and returns the results in order. Each
// result is charged and decoded when it arrives, so that the raw results are not held all
// at once. The first error cancels the other calls.
func (r *run) ask(all []Call) ([]starlark.Value, error) {
	if r.calls += len(all); r.calls > r.limits.Calls {
		return nil, fmt.Errorf("a program makes at most %d calls", r.limits.Calls)
	}
	ctx, cancel := context.WithCancelCause(r.ctx)
	defer cancel(nil)
	values := make([]starlark.Value, len(all))
	var running sync.WaitGroup
	var reads sync.Mutex // the meter is not safe for concurrent use
	free := make(chan struct{}, r.limits.AtOnce)
	one := func(i int) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		answer, err := r.tool(ctx, all[i])
		if err != nil {
			return fmt.Errorf("%s: %w", all[i].Name, err)
		}
		reads.Lock()
		defer reads.Unlock()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if values[i], err = r.read(answer); err != nil {
			return fmt.Errorf("what %s answered: %w", all[i].Name, err)
		}
		return nil
	}
	for i := range all {
		free <- struct{}{}
		running.Go(func() {
			defer func() { <-free }()
			if err := one(i); err != nil {
				cancel(err)
			}
		})
	}
	running.Wait()
	r.answered = true
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return values, nil
}

// read converts a result to a value.
func (r *run) read(a Answer) (starlark.Value, error) {
	if len(a.JSON) > 0 {
		return r.decode(a.JSON)
	}
	return starlark.String(a.Text), r.meter.make(int64(len(a.Text)))
}

// maxMessage bounds the bytes of an error message.
const maxMessage = 4000

// located adds the line of the program to an error.
func located(err error) error {
	var syntactic syntax.Error
	var evaluated *starlark.EvalError
	var unresolved resolve.ErrorList
	var message string
	var line int32
	switch {
	case errors.As(err, &syntactic):
		message, line = syntactic.Msg, syntactic.Pos.Line
	case errors.As(err, &evaluated):
		message = strings.TrimPrefix(evaluated.Msg, "Starlark computation cancelled: ")
		for i := range evaluated.CallStack {
			if at := evaluated.CallStack.At(i).Pos; at.Filename() == fileName {
				line = at.Line
				break
			}
		}
	case errors.As(err, &unresolved):
		message, line = unresolved[0].Msg, unresolved[0].Pos.Line
	default:
		return err
	}
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "") + "…"
	}
	return &Error{Line: int(line), Message: message, cause: err}
}

// Error is the error that ended a program, with its position.
type Error struct {
	// Line counts from 1.
	Line    int
	Message string
	cause   error
}

// Error implements the interface.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// Unwrap returns the error of the library or of the tool.
func (e *Error) Unwrap() error { return e.cause }
