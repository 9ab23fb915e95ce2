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

// This file lets a call ask its client a question when there is no session to send
// it through. The gateway answers the request with the question (`input_required`)
// and a random state. The client repeats the request with that state and the answer.
// The call keeps running in between, in [rounds], and is started only once.

const (
	// maxRounds is the most calls that wait for an answer of their client. One
	// more removes the oldest of those that have finished, or else the oldest.
	maxRounds = 64
	// roundTime is how long a call waits for the answer to its question.
	roundTime = 15 * time.Minute
	// roundQuestion is the key of the only question of a round.
	roundQuestion = "question"
)

var errRoundOver = errors.New("the client did not answer the question in time")

// rounds are the calls that wait for an answer of their client's.
type rounds struct {
	// mu guards what follows.
	mu      sync.Mutex
	waiting map[string]*round // by state
	order   []*round          // the same, oldest first
	over    bool

	running sync.WaitGroup
}

// round is a call that may go over several requests. Its name and arguments do
// not change.
type round struct {
	// owner is whose call it is: no other caller answers its questions.
	owner     principal.Principal
	name      string
	arguments json.RawMessage
	end       context.CancelCauseFunc
	asked     chan *question
	done      chan struct{} // closed when answer and err are there
	answer    Answer
	err       error

	// pending is the question that the client has yet to answer, and expiry ends
	// the call without one. Both are set while the round waits.
	pending *question
	expiry  *time.Timer

	// stop ends the watch over the client's connection.
	stop func() bool
	// state is that under which the round waits, gone that its client's
	// connection has ended. Both are guarded by rounds.mu.
	state string
	gone  bool

	// mu guards report, which passes progress on to the request of this moment.
	mu     sync.Mutex
	report reporter
}

// question is one that a call puts to its client.
type question struct {
	request mcp.InputRequest
	answer  chan json.RawMessage
}

// call answers a tools/call of a client without a session.
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

// next returns the call that a request begins, or goes on with.
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
		// It is put again.
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

// begin starts a call, which ends with its client's connection or the server.
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

// ended reports whether the call is over.
func (o *round) ended() bool {
	select {
	case <-o.done:
		return true
	default:
		return false
	}
}

// result is what the call has come to.
func (o *round) result() (*mcp.CallToolResult, error) {
	if o.err != nil {
		return nil, o.err
	}
	return wireResult(o.answer), nil
}

// opened asks for the pages that a call needs, and reports whether the user
// agreed to all of them.
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

// ask puts a question to whichever request the call is answered by. It is an
// [Ask].
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

// pass lets progress go to another request.
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

// run runs a call, unless the server closes.
func (r *rounds) run(call func()) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		r.running.Go(call)
	}
	return !r.over
}

// park lets a call wait for the answer to a question, and returns what asks the
// client.
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
		if one.state == state { // it may wait under another by now
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

// abandon ends a call whose client can never come back.
func (r *rounds) abandon(one *round) {
	r.mu.Lock()
	defer r.mu.Unlock()
	one.gone = true
	r.drop(one)
}

// drop ends a call if it waits. The caller holds mu.
func (r *rounds) drop(one *round) {
	if r.remove(one) {
		one.end(errRoundOver)
		one.stop()
	}
}

// remove takes out a call if it waits. The caller holds mu.
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

// take returns the call of an owner's that waits under a state, where it is the one that is
// made again; else nil.
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

// sameJSON reports whether two texts are one value, as a client may have
// written it anew.
func sameJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	return bytes.Equal(encode(x), encode(y)) // keys are sorted
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

// connectionKey carries the lifetime of the connection that a request came by.
type connectionKey struct{}

// withConnection returns ctx for the requests of a connection that ends with
// ctx.
func withConnection(ctx context.Context) context.Context {
	return context.WithValue(ctx, connectionKey{}, ctx)
}

// connection returns what ends with the connection of a request; where
// requests have no connection, it does not end.
func connection(ctx context.Context) context.Context {
	if life, ok := ctx.Value(connectionKey{}).(context.Context); ok {
		return life
	}
	return context.Background()
}

// ownMeta is passedMeta without what a client says of itself and the protocol:
// its server's client is Winnow.
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
