package mcpserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/principal"
)

// This file lets a call ask its client a question without a session. The gateway responds
// to the request with the question (`input_required`) and a random state. The client
// repeats the request with the state and the answer. Meanwhile the call keeps running, in
// [rounds]; it is started only once.

const (
	// maxRounds bounds the calls that wait for an answer. One more evicts the oldest
	// finished call, or else the oldest.
	maxRounds = 64
	// roundTime is how long a call waits for an answer.
	roundTime = 15 * time.Minute
	// roundQuestion is the key of the only question of a round.
	roundQuestion = "question"
)

var errRoundOver = errors.New("the client did not answer the question in time")

// rounds holds the calls that wait for an answer of their client.
type rounds struct {
	// mu guards what follows.
	mu      sync.Mutex
	waiting map[string]*round // by state
	order   []*round          // the same, oldest first
	over    bool

	running sync.WaitGroup
}

// round is a call that may take several requests. Its name and arguments do not change.
type round struct {
	// owner is the principal of the call. Only it may answer.
	owner     principal.Principal
	name      string
	arguments json.RawMessage
	end       context.CancelCauseFunc
	asked     chan *question
	done      chan struct{} // closed when answer and err are set
	answer    Answer
	err       error

	// pending is the unanswered question; expiry ends the call without an answer. Both
	// are set while the round waits.
	pending *question
	expiry  *time.Timer

	// stop stops watching the client's connection.
	stop func() bool
	// state is the state under which the round waits; gone is set when the client's
	// connection has ended. Both are guarded by rounds.mu.
	state string
	gone  bool

	// mu guards report, which sends progress to the current request.
	mu     sync.Mutex
	report reporter
}

// question is a question of a call to its client.
type question struct {
	request mcp.InputRequest
	answer  chan json.RawMessage
}

// call handles a tools/call of a client without a session.
func (r *rounds) call(ctx context.Context, session Session, call named, p *mcp.CallToolParams, report reporter) (*mcp.CallToolResult, error) {
	one, err := r.next(ctx, session, call, p, report)
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	select {
	case q := <-one.asked:
		return r.park(one, q)
	case <-one.done:
		one.stop()
		return one.result()
	case <-ctx.Done():
		one.end(context.Cause(ctx))
		<-one.done
		one.stop()
		return nil, context.Cause(ctx)
	}
}

// next returns the call that a request starts or continues.
func (r *rounds) next(ctx context.Context, session Session, call named, p *mcp.CallToolParams, report reporter) (*round, error) {
	if p.RequestState == "" {
		return r.begin(ctx, session, call, p.Meta, report)
	}
	one := r.take(who(ctx), p.RequestState, call)
	if one == nil {
		return nil, errors.New("the state of this request is unknown: its question was answered already, or was put too long ago, " +
			"or the daemon that put it is gone. The call was not made again; look whether it took effect before you repeat it")
	}
	one.pass(report)
	q := one.pending
	one.pending = nil
	answer, ok := p.InputResponses[roundQuestion]
	if !ok {
		// The question is asked again.
		go func() {
			select {
			case one.asked <- q:
			case <-one.done:
			}
		}()
		return one, nil
	}
	q.answer <- encode(answer)
	return one, nil
}

// begin starts a call. It ends with its client's connection or the server.
func (r *rounds) begin(ctx context.Context, session Session, call named, meta *mcp.Meta, report reporter) (*round, error) {
	life, end := context.WithCancelCause(context.WithoutCancel(ctx))
	one := &round{
		owner: who(ctx), name: call.name, arguments: call.arguments, end: end,
		asked: make(chan *question), done: make(chan struct{}), report: report,
	}
	c := Call{
		From: caller(ctx), Name: call.name, Arguments: call.arguments, Meta: ownMeta(meta), Ask: one.ask,
	}
	if report != nil {
		c.Progress = one.progress
	}
	one.stop = context.AfterFunc(connection(ctx), func() {
		end(errGone)
		r.abandon(one)
	})
	started := r.run(func() {
		defer close(one.done)
		defer end(nil)
		defer func() {
			if trouble := recover(); trouble != nil {
				one.err = fmt.Errorf("internal error: %v", trouble)
			}
		}()
		one.answer, one.err = session.Call(life, c)
		var pages *PagesNeeded
		if errors.As(one.err, &pages) && one.opened(life, pages) {
			one.answer, one.err = session.Call(life, c)
		}
	})
	if !started {
		one.stop()
		end(errGone)
		return nil, errEnded
	}
	return one, nil
}

// ended reports whether the call has finished.
func (o *round) ended() bool {
	select {
	case <-o.done:
		return true
	default:
		return false
	}
}

// result returns the outcome of a finished call.
func (o *round) result() (*mcp.CallToolResult, error) {
	if o.err != nil {
		return nil, o.err
	}
	return wireResult(o.answer), nil
}

// opened asks the user to open the pages that a call needs, and reports whether the user
// agreed to all.
func (o *round) opened(ctx context.Context, pages *PagesNeeded) bool {
	for _, page := range pages.Elicitations {
		raw, err := o.ask(ctx, string(mcp.MethodElicitationCreate), page)
		var answer struct {
			Action mcp.ElicitationResponseAction `json:"action"`
		}
		if err != nil || json.Unmarshal(raw, &answer) != nil || answer.Action != mcp.ElicitationResponseActionAccept {
			return false
		}
	}
	return true
}

// ask asks a question through the current request. It is an [Ask].
func (o *round) ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	q := &question{answer: make(chan json.RawMessage, 1)}
	wire := map[string]any{"method": method}
	if len(params) > 0 {
		wire["params"] = params
	}
	if err := json.Unmarshal(encode(wire), &q.request); err != nil {
		return nil, err
	}
	select {
	case o.asked <- q:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	select {
	case answer := <-q.answer:
		return answer, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// pass sends progress to another request from now on.
func (o *round) pass(report reporter) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.report = report
}

func (o *round) progress(progress, total float64, message string) {
	o.mu.Lock()
	report := o.report
	o.mu.Unlock()
	if report != nil {
		report(progress, total, message)
	}
}

// run starts a call. It returns false if the server closes.
func (r *rounds) run(call func()) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		r.running.Go(call)
	}
	return !r.over
}

// park makes a call wait for an answer, and returns the response that asks the client.
func (r *rounds) park(one *round, q *question) (*mcp.CallToolResult, error) {
	one.pass(nil)
	one.pending = q
	state := rand.Text()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over || one.gone {
		one.end(errGone)
		return nil, errEnded
	}
	if len(r.order) >= maxRounds {
		r.drop(r.order[max(0, slices.IndexFunc(r.order, (*round).ended))])
	}
	one.state = state
	one.expiry = time.AfterFunc(roundTime, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if one.state == state { // it may wait under another state
			r.drop(one)
		}
	})
	if r.waiting == nil {
		r.waiting = map[string]*round{}
	}
	r.waiting[state] = one
	r.order = append(r.order, one)
	requests := mcp.InputRequests{roundQuestion: q.request}
	return &mcp.CallToolResult{
		Result:               mcp.Result{ResultType: mcp.ResultTypeInputRequired},
		MultiRoundTripResult: mcp.MultiRoundTripResult{InputRequests: requests, RequestState: state},
	}, nil
}

// abandon ends a call whose client is gone.
func (r *rounds) abandon(one *round) {
	r.mu.Lock()
	defer r.mu.Unlock()
	one.gone = true
	r.drop(one)
}

// drop ends a waiting call. Callers must hold mu.
func (r *rounds) drop(one *round) {
	if r.remove(one) {
		one.end(errRoundOver)
		one.stop()
	}
}

// remove removes a waiting call, and reports whether it did. Callers must hold mu.
func (r *rounds) remove(one *round) bool {
	if one.state == "" {
		return false
	}
	one.expiry.Stop()
	delete(r.waiting, one.state)
	one.state = ""
	r.order = slices.DeleteFunc(r.order, func(other *round) bool { return other == one })
	return true
}

// take removes and returns the owner's call that waits under a state. It returns nil if
// the repeated call differs.
func (r *rounds) take(owner principal.Principal, state string, call named) *round {
	r.mu.Lock()
	defer r.mu.Unlock()
	one := r.waiting[state]
	if one == nil || one.owner != owner || one.name != call.name || !sameJSON(one.arguments, call.arguments) {
		return nil
	}
	r.remove(one)
	return one
}

// sameJSON reports whether two texts are the same JSON value: a client may re-encode it.
func sameJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	return bytes.Equal(encode(x), encode(y)) // with sorted keys
}

// close ends all calls, and waits for their end.
func (r *rounds) close() {
	r.mu.Lock()
	r.over = true
	for _, one := range slices.Clone(r.order) {
		r.drop(one)
	}
	r.mu.Unlock()
	r.running.Wait()
}

// connectionKey is the context key of a connection's context.
type connectionKey struct{}

// withConnection marks ctx as the context of a connection.
func withConnection(ctx context.Context) context.Context {
	return context.WithValue(ctx, connectionKey{}, ctx)
}

// connection returns the context of a request's connection. It never ends if there is
// none.
func connection(ctx context.Context) context.Context {
	if life, ok := ctx.Value(connectionKey{}).(context.Context); ok {
		return life
	}
	return context.Background()
}

// ownMeta is passedMeta without the client's description and the protocol version: the
// server's client is Winnow.
func ownMeta(meta *mcp.Meta) json.RawMessage {
	if meta == nil {
		return nil
	}
	rest := mcp.Meta{AdditionalFields: map[string]any{}}
	for key, value := range meta.AdditionalFields {
		switch key {
		case mcp.MetaKeyProtocolVersion, mcp.MetaKeyClientInfo, mcp.MetaKeyClientCapabilities, mcp.MetaKeyLogLevel:
		default:
			rest.AdditionalFields[key] = value
		}
	}
	return passedMeta(&rest)
}
