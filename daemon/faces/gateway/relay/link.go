package relay

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// link passes messages between the client and one gateway. One goroutine does
// all of it.
type link struct {
	*Relay
	gateway  Gateway
	incoming *lineReader // the lines that the gateway sends
	// timer runs while the gateway has requests to answer. It fires after half
	// of [Relay.Patience] without a message: then a ping is sent, pinged is set,
	// and the gateway is left when the timer fires again.
	timer  *time.Timer
	pinged bool
	// awaited is the id of the relay's own request that [link.ask] waits for, or "".
	awaited string
}

// run passes messages until the gateway must be replaced: [ErrLost], [ErrSilent]. It
// returns nil if the gateway closes its side after the client has, if a write to the
// client fails, or if ctx ends.
func (l *link) run(ctx context.Context) error {
	if err := l.prepare(ctx); err != nil {
		return err
	}
	if l.over {
		_ = l.gateway.Conn.CloseWrite()
	}
	for {
		lines := l.lines
		if l.over {
			lines = nil
		}
		select {
		case line, open := <-l.incoming.lines:
			if !open {
				return l.closed()
			}
			l.fromGateway(line)
			if l.out.err != nil {
				return nil
			}
		case line, open := <-lines:
			if !open {
				l.over = true
				_ = l.gateway.Conn.CloseWrite() // an error shows at the next read
				continue
			}
			if err := l.fromClient(line); err != nil {
				return err
			}
		case <-l.timer.C:
			select {
			case line, open := <-l.incoming.lines: // it answered while the client read slowly
				if !open {
					return l.closed()
				}
				l.fromGateway(line)
			default:
				if err := l.silent(); err != nil {
					return err
				}
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// closed returns nil if the gateway ended after the client, with no request unanswered;
// otherwise [ErrLost].
func (l *link) closed() error {
	if l.over && len(l.unanswered) == 0 {
		return nil
	}
	return ErrLost
}

// prepare sets up a new gateway while the client waits. It sends a ping, the client's
// initialize and log level, and the requests without a response. The client is notified
// to read its lists again.
func (l *link) prepare(ctx context.Context) error {
	if l.gateway.Watched {
		if err := l.ask(ctx, l.ping()); err != nil {
			return err
		}
	}
	if l.answeredInitialize {
		if err := l.ask(ctx, withID(l.initialize, l.ownID("initialize"))); err != nil {
			return err
		}
	}
	if l.initialized {
		if err := l.send(notice(methodInitialized)); err != nil {
			return err
		}
	}
	if l.level != nil {
		if err := l.send(withID(l.level, l.ownID("level"))); err != nil {
			return err
		}
	}
	for _, r := range l.unanswered {
		if err := l.send(r.line); err != nil {
			return err
		}
	}
	l.restartTimer()
	if l.initialized && l.answeredInitialize && l.links > 1 {
		for _, list := range []string{"tools", "resources", "prompts"} {
			l.out.write(notice("notifications/" + list + "/list_changed"))
		}
	}
	return nil
}

func (l *link) ownID(what string) json.RawMessage {
	l.requests++
	return fmt.Appendf(nil, `"%s%s-%d"`, ownPrefix, what, l.requests)
}

func (l *link) ping() []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%q}`, l.ownID(methodPing), methodPing)
}

// ask sends one of the relay's own requests and waits for the response. For a watched
// gateway it waits at most [Relay.Patience].
func (l *link) ask(ctx context.Context, line []byte) error {
	m, _ := parse(line)
	l.awaited = string(m.ID)
	if err := l.send(line); err != nil {
		return err
	}
	patience := time.NewTimer(l.Patience)
	defer patience.Stop()
	for l.awaited != "" {
		select {
		case line, open := <-l.incoming.lines:
			if !open {
				return ErrLost
			}
			l.fromGateway(line)
		case <-patience.C:
			if l.gateway.Watched {
				return ErrSilent
			}
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

// send writes a line to the gateway. It returns [ErrLost] if a watched gateway does not
// read within [Relay.Patience].
func (l *link) send(line []byte) error {
	if c, ok := l.gateway.Conn.(interface{ SetWriteDeadline(t time.Time) error }); ok && l.gateway.Watched {
		if err := c.SetWriteDeadline(time.Now().Add(l.Patience)); err != nil {
			return ErrLost
		}
	}
	if _, err := l.gateway.Conn.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
	return nil
}

// fromClient passes one line from the client to the gateway, and keeps the messages that
// a next gateway needs.
func (l *link) fromClient(line []byte) error {
	m, kind := parse(line)
	switch kind {
	case request:
		l.unanswered = append(l.unanswered, clientRequest{m.ID, m.Method, line})
		switch m.Method {
		case methodInitialize:
			l.initialize = line
		case methodSetLevel:
			l.level = line
		}
		if l.gateway.Watched && l.expected() == 1 {
			l.timer.Reset(l.Patience / 2)
		}
	case notification:
		switch m.Method {
		case methodInitialized:
			l.initialized = true
		case methodCancelled:
			l.answered(m.Params.RequestID)
		}
	case answer:
		id, open := l.asked[string(m.ID)]
		if !open {
			return nil // the gateway that asked is gone
		}
		delete(l.asked, string(m.ID))
		line = withID(line, id)
	case other:
	}
	return l.send(line)
}

// fromGateway passes one line from the gateway to the client. Requests get new ids,
// because the ids of two gateways may be equal.
func (l *link) fromGateway(line []byte) {
	l.pinged = false
	m, kind := parse(line)
	switch kind {
	case request:
		l.questions++
		id := fmt.Appendf(nil, `"winnow-q%d"`, l.questions)
		l.asked[string(id)] = m.ID
		line = withID(line, id)
	case answer:
		if own(m.ID) {
			if l.awaited == string(m.ID) {
				l.awaited = ""
			}
			l.restartTimer()
			return
		}
		if l.answered(m.ID) == methodInitialize {
			l.answeredInitialize = true
		}
	case notification:
		if m.Method == methodCancelled {
			line = l.cancelled(line, m.Params.RequestID)
		}
	case other:
	}
	l.restartTimer()
	l.out.write(line)
}

// restartTimer restarts the timer if the gateway has requests to answer.
func (l *link) restartTimer() {
	l.timer.Stop()
	if l.gateway.Watched && l.expected() > 0 {
		l.timer.Reset(l.Patience / 2)
	}
}

// expected counts the requests that are to be answered soon. Subscriptions are not: they
// are answered when the client ends them.
func (l *link) expected() int {
	n := 0
	for _, r := range l.unanswered {
		if r.method != methodListen {
			n++
		}
	}
	return n
}

// silent is called when no message has come for half of [Relay.Patience] although
// an answer is expected. A call may take longer than that, so the gateway is
// pinged first, and left only when it does not answer the ping either.
func (l *link) silent() error {
	if l.expected() == 0 {
		return nil
	}
	if l.pinged {
		return ErrSilent
	}
	l.pinged = true
	l.timer.Reset(l.Patience / 2)
	return l.send(l.ping())
}

// answered removes a request from the unanswered ones and returns its method, or "" if
// there is none with that id.
func (l *link) answered(id json.RawMessage) string {
	at := slices.IndexFunc(l.unanswered, func(r clientRequest) bool { return sameID(r.id, id) })
	if at < 0 {
		return ""
	}
	method := l.unanswered[at].method
	l.unanswered = slices.Delete(l.unanswered, at, at+1)
	return method
}

// cancelled returns the gateway's cancellation of a request with the id that the client
// knows.
func (l *link) cancelled(line []byte, gatewayID json.RawMessage) []byte {
	for id, theirs := range l.asked {
		if string(theirs) == string(gatewayID) {
			delete(l.asked, id)
			return withRequestID(line, json.RawMessage(id))
		}
	}
	return line
}
