package relay

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// visit is the time that the client spends with one gateway. All of it happens
// in one goroutine.
type visit struct {
	*Relay
	gateway Gateway
	said    *lineReader // what the gateway says
	// timer runs while the gateway owes an answer; pinged: it was asked for a
	// sign of life, and fails when the timer does.
	timer  *time.Timer
	pinged bool
	// awaited is the relay's own request that holds everything up; empty is none.
	awaited string
}

// run passes messages until the gateway is done (nil), or has to be left.
func (v *visit) run(ctx context.Context) error {
	if err := v.greet(ctx); err != nil {
		return err
	}
	if v.over {
		_ = v.gateway.Conn.CloseWrite()
	}
	for {
		lines := v.lines
		if v.over {
			lines = nil
		}
		select {
		case line, open := <-v.said.lines:
			if !open {
				return v.farewell()
			}
			v.fromGateway(line)
			if v.out.err != nil {
				return nil
			}
		case line, open := <-lines:
			if !open {
				v.over = true
				_ = v.gateway.Conn.CloseWrite() // a gateway that is gone is told of by its end
				continue
			}
			if err := v.fromClient(line); err != nil {
				return err
			}
		case <-v.timer.C:
			select {
			case line, open := <-v.said.lines: // it was the client who read slowly
				if !open {
					return v.farewell()
				}
				v.fromGateway(line)
			default:
				if err := v.overdue(); err != nil {
					return err
				}
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// farewell says what the end of a gateway means.
func (v *visit) farewell() error {
	if v.over && len(v.owed) == 0 {
		return nil
	}
	return ErrLost
}

// greet makes a gateway ready for the client, who waits meanwhile: it has to
// show that it lives, and is told what the client told the one before.
func (v *visit) greet(ctx context.Context) error {
	if v.gateway.Watched {
		if err := v.ask(ctx, v.ping()); err != nil {
			return err
		}
	}
	if v.shaken {
		if err := v.ask(ctx, withID(v.hello, v.ownID("initialize"))); err != nil {
			return err
		}
	}
	if v.initialized {
		if err := v.send(notice(methodInitialized)); err != nil {
			return err
		}
	}
	if v.level != nil {
		if err := v.send(withID(v.level, v.ownID("level"))); err != nil {
			return err
		}
	}
	for _, d := range v.owed {
		if err := v.send(d.line); err != nil {
			return err
		}
	}
	v.rearm()
	if v.initialized && v.shaken && v.visits > 1 {
		for _, list := range []string{"tools", "resources", "prompts"} {
			v.out.tell(notice("notifications/" + list + "/list_changed"))
		}
	}
	return nil
}

func (v *visit) ownID(what string) json.RawMessage {
	v.requests++
	return fmt.Appendf(nil, `"%s%s-%d"`, ownPrefix, what, v.requests)
}

func (v *visit) ping() []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%q}`, v.ownID(methodPing), methodPing)
}

// ask sends a request of the relay's own and waits for the answer.
func (v *visit) ask(ctx context.Context, line []byte) error {
	m, _ := parse(line)
	v.awaited = string(m.ID)
	if err := v.send(line); err != nil {
		return err
	}
	patience := time.NewTimer(v.Patience)
	defer patience.Stop()
	for v.awaited != "" {
		select {
		case line, open := <-v.said.lines:
			if !open {
				return ErrLost
			}
			v.fromGateway(line)
		case <-patience.C:
			if v.gateway.Watched {
				return ErrSilent
			}
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

// send writes a line to the gateway, which may hang.
func (v *visit) send(line []byte) error {
	if c, ok := v.gateway.Conn.(interface{ SetWriteDeadline(t time.Time) error }); ok && v.gateway.Watched {
		if err := c.SetWriteDeadline(time.Now().Add(v.Patience)); err != nil {
			return ErrLost
		}
	}
	if _, err := v.gateway.Conn.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
	return nil
}

// fromClient passes on one line of the client's.
func (v *visit) fromClient(line []byte) error {
	m, kind := parse(line)
	switch kind {
	case request:
		v.owed = append(v.owed, debt{m.ID, m.Method, line})
		switch m.Method {
		case methodInitialize:
			v.hello = line
		case methodSetLevel:
			v.level = line
		}
		if v.gateway.Watched && v.due() == 1 {
			v.timer.Reset(v.Patience / 2)
		}
	case notification:
		switch m.Method {
		case methodInitialized:
			v.initialized = true
		case methodCancelled:
			v.settled(m.Params.RequestID)
		}
	case answer:
		id, open := v.asked[string(m.ID)]
		if !open {
			return nil // to a question of a gateway that is gone
		}
		delete(v.asked, string(m.ID))
		line = withID(line, id)
	case other:
	}
	return v.send(line)
}

// fromGateway passes on one line of the gateway's.
func (v *visit) fromGateway(line []byte) {
	v.pinged = false
	m, kind := parse(line)
	switch kind {
	case request:
		v.questions++
		id := fmt.Appendf(nil, `"winnow-q%d"`, v.questions)
		v.asked[string(id)] = m.ID
		line = withID(line, id)
	case answer:
		if own(m.ID) {
			if v.awaited == string(m.ID) {
				v.awaited = ""
			}
			v.rearm()
			return
		}
		if v.settled(m.ID) == methodInitialize {
			v.shaken = true
		}
	case notification:
		if m.Method == methodCancelled {
			line = v.cancelled(line, m.Params.RequestID)
		}
	case other:
	}
	v.rearm()
	v.out.tell(line)
}

// rearm lets the timer run from now on, while the gateway owes an answer.
func (v *visit) rearm() {
	v.timer.Stop()
	if v.gateway.Watched && v.due() > 0 {
		v.timer.Reset(v.Patience / 2)
	}
}

// due counts the requests that are to be answered soon. A subscription is
// answered when the client ends it.
func (v *visit) due() int {
	n := 0
	for _, d := range v.owed {
		if d.method != methodListen {
			n++
		}
	}
	return n
}

// overdue is called when the gateway owes an answer and was silent for half of
// the patience: a long call is no reason to leave it, so it is asked for a sign
// of life, and left without one.
func (v *visit) overdue() error {
	if v.due() == 0 {
		return nil
	}
	if v.pinged {
		return ErrSilent
	}
	v.pinged = true
	v.timer.Reset(v.Patience / 2)
	return v.send(v.ping())
}

// settled takes a request off the debts, and returns its method.
func (v *visit) settled(id json.RawMessage) string {
	at := slices.IndexFunc(v.owed, func(d debt) bool { return sameID(d.id, id) })
	if at < 0 {
		return ""
	}
	method := v.owed[at].method
	v.owed = slices.Delete(v.owed, at, at+1)
	return method
}

// cancelled returns a cancellation of a question by the id that the client
// knows.
func (v *visit) cancelled(line []byte, gatewayID json.RawMessage) []byte {
	for id, theirs := range v.asked {
		if string(theirs) == string(gatewayID) {
			delete(v.asked, id)
			return withRequestID(line, json.RawMessage(id))
		}
	}
	return line
}
