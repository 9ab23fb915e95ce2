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

// maxLine bounds one message, in bytes. The gateway has the same bound.
const maxLine = 32 << 20

// DefaultPatience is the default of [Relay.Patience].
const DefaultPatience = 2 * time.Second

// Reasons to replace a gateway.
var (
	// ErrLost: the gateway ended before the client.
	ErrLost = errors.New("the daemon has ended")
	// ErrSilent: the gateway did not answer in time.
	ErrSilent = errors.New("the daemon does not answer")
)

// Conn is a connection to a gateway.
type Conn interface {
	io.ReadWriteCloser
	// CloseWrite ends writing. The gateway answers what it has received, and closes its
	// side.
	CloseWrite() error
}

// Gateway receives the client's messages.
type Gateway struct {
	Conn Conn
	// Watched: the gateway may hang, and is replaced if it is silent for too long.
	Watched bool
}

// Relay is one client's connection. Its fields are set before Run.
type Relay struct {
	// Join connects to a gateway. The first call has a nil reason, later calls the reason
	// why the last gateway was left. An error ends the relay.
	Join func(ctx context.Context, why error) (Gateway, error)
	// Patience is how long a watched gateway may be silent while it has requests to
	// answer. 0 means DefaultPatience.
	Patience time.Duration
	// Log may be nil: nothing is logged.
	Log *slog.Logger

	out   clientWriter
	lines <-chan []byte // from the client; closed when it closes its side
	over  bool          // the client has closed its side

	// initialize and level are the client's requests that are sent to each gateway.
	initialize, level  []byte
	answeredInitialize bool // a gateway has answered initialize
	initialized        bool // the client has sent notifications/initialized
	// unanswered holds the client's requests without a response, in order.
	unanswered []clientRequest
	// asked maps the ids that the client sees to the gateway's ids of its requests. Two
	// gateways may use the same id.
	asked map[string]json.RawMessage
	// questions, requests and links count the gateways' questions, the relay's
	// own requests and the gateways.
	questions, requests, links int
}

// clientRequest is a request of the client without a response.
type clientRequest struct {
	id     json.RawMessage
	method string
	line   []byte
}

// Run serves the client until it closes its side or ctx ends, and then returns nil. A
// blocked read of in ends with in.
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
		r.endUnanswered()
	}
}

// serve passes messages between the client and one gateway: see [link.run].
func (r *Relay) serve(ctx context.Context, g Gateway) error {
	life, end := context.WithCancel(ctx)
	defer end()
	defer func() { _ = g.Conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = g.Conn.Close() })()
	l := &link{Relay: r, gateway: g, incoming: readLines(life, g.Conn)}
	l.timer = time.NewTimer(r.Patience)
	l.timer.Stop()
	defer l.timer.Stop()
	r.links++
	err := l.run(ctx)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// endUnanswered responds to the tool calls under way, which are never repeated, and
// cancels the requests of the lost gateway. The client's other requests are sent to the
// next gateway.
func (r *Relay) endUnanswered() {
	kept := r.unanswered[:0]
	for _, d := range r.unanswered {
		if d.method == methodCall {
			r.out.write(mayHaveRun(d.id))
		} else {
			kept = append(kept, d)
		}
	}
	r.unanswered = kept
	for id := range r.asked {
		r.out.write(cancellation(json.RawMessage(id)))
	}
	clear(r.asked)
}

// clientWriter writes to the client. After an error it writes nothing more, and Run ends.
type clientWriter struct {
	out io.Writer
	err error
}

func (c *clientWriter) write(line []byte) {
	if c.err == nil {
		_, c.err = c.out.Write(append(line, '\n'))
	}
}
