package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"
)

// maxLine bounds one message, in bytes. It is the gateway's own bound.
const maxLine = 32 << 20

// DefaultPatience is the default of [Relay.Patience].
const DefaultPatience = 2 * time.Second

// Why a gateway was left.
var (
	// ErrLost: it ended before the client did.
	ErrLost = errors.New("the daemon has ended")
	// ErrSilent: it did not answer.
	ErrSilent = errors.New("the daemon does not answer")
)

// Conn is a connection to a gateway.
type Conn interface {
	io.ReadWriteCloser
	// CloseWrite says that nothing more will be written; the gateway answers
	// what it has got, and closes its side.
	CloseWrite() error
}

// Gateway is where the client's messages go.
type Gateway struct {
	Conn Conn
	// Watched: it may hang, and is left when it is silent for too long.
	Watched bool
}

// Relay is one client's connection. Its fields are set before Run.
type Relay struct {
	// Join connects to a gateway: to the first one with nil, then to the next
	// one with why the last was left. Its error ends the relay.
	Join func(ctx context.Context, why error) (Gateway, error)
	// Patience is how long a watched gateway may keep silent while it owes an
	// answer; 0 is DefaultPatience.
	Patience time.Duration
	// Log may be nil.
	Log *slog.Logger

	out   clientWriter
	lines <-chan []byte // what the client says; closed when it has said all
	over  bool          // the client has said all

	// hello and level are what the client said that a next gateway has to know.
	hello, level []byte
	shaken       bool // the client's initialize was answered
	initialized  bool // the client has said so
	// owed are the client's requests without an answer, in their order.
	owed []debt
	// asked holds the gateway's own ids of its questions to the client, by the
	// ids that the client knows. Those of two gateways may be the same.
	asked map[string]json.RawMessage
	// questions, requests and visits count the gateways' questions, the relay's
	// own requests and the gateways.
	questions, requests, visits int
}

// debt is a request without an answer.
type debt struct {
	id     json.RawMessage
	method string
	line   []byte
}

// Run serves the client until it closes its side or ctx ends, and returns nil
// then. A read of in that is under way ends with in.
func (r *Relay) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	if r.Patience == 0 {
		r.Patience = DefaultPatience
	}
	if r.Log == nil {
		r.Log = slog.New(slog.DiscardHandler)
	}
	r.out, r.asked = clientWriter{out: out}, map[string]json.RawMessage{}
	client := readLines(ctx, in)
	r.lines = client.lines
	var why error
	for {
		g, err := r.Join(ctx, why)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		why = r.serve(ctx, g)
		switch {
		case ctx.Err() != nil:
			return nil
		case r.out.err != nil:
			return fmt.Errorf("write to the client: %w", r.out.err)
		case why == nil:
			return client.ended
		case r.over:
			return why
		}
		r.Log.Warn("the gateway is left", "error", why)
		r.settle()
	}
}

// serve passes messages until the gateway is done (nil), or has to be left.
func (r *Relay) serve(ctx context.Context, g Gateway) error {
	life, end := context.WithCancel(ctx)
	defer end()
	defer func() { _ = g.Conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = g.Conn.Close() })()
	v := &visit{Relay: r, gateway: g, said: readLines(life, g.Conn)}
	v.timer = time.NewTimer(r.Patience)
	v.timer.Stop()
	defer v.timer.Stop()
	r.visits++
	err := v.run(ctx)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// settle tells the client what became of what it waited for, and forgets what
// the gateway asked.
func (r *Relay) settle() {
	kept := r.owed[:0]
	for _, d := range r.owed {
		if d.method == methodCall {
			r.out.tell(mayHaveRun(d.id))
		} else {
			kept = append(kept, d)
		}
	}
	r.owed = kept
	for id := range r.asked {
		r.out.tell(cancellation(json.RawMessage(id)))
	}
	clear(r.asked)
}

// clientWriter writes to the client. Once that fails nothing is written any
// more, and Run ends.
type clientWriter struct {
	out io.Writer
	err error
}

func (c *clientWriter) tell(line []byte) {
	if c.err == nil {
		_, c.err = c.out.Write(append(line, '\n'))
	}
}
