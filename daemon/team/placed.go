package team

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/team/pg"
	"github.com/winnow-mcp/winnow/daemon/team/vault"
)

// placed leads the requests to a server that is a program to the holder that runs
// it. Those that have not reached one wait until another holder does; those that a
// holder has, and whose lease is over, fail.
type placed struct {
	server string
	board  *board
	ring   *vault.Ring
	next   *http.Transport
}

// board is which holder runs what, as it was read last.
type board struct {
	leases pg.Leases

	mu  sync.Mutex
	all map[string]pg.Lease // guarded by mu
	at  time.Time           // guarded by mu
}

// read returns the lease of a server as it was at most so long ago.
func (b *board) read(ctx context.Context, server string, ago time.Duration) (lease pg.Lease, held bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if time.Since(b.at) > ago {
		all, err := b.leases.All(ctx)
		if err != nil {
			return pg.Lease{}, false, err
		}
		b.all, b.at = all, time.Now()
	}
	lease, held = b.all[server]
	return lease, held, nil
}

// holderHost stands for whichever holder it is.
const holderHost = "holder.invalid"

// addressOf is the address of a program, in the place of its command.
func addressOf(server string) string {
	return (&url.URL{Scheme: "http", Host: holderHost, Path: holderPath + server}).String()
}

const (
	// placeTime is how long a request waits for a holder: one that was killed keeps its
	// lease at first, and the program has to be started.
	placeTime = 10 * time.Second
	// placeEvery is how often it looks for one, and watchEvery how often a request that
	// a holder has looks whether it has the lease still.
	placeEvery, watchEvery = 100 * time.Millisecond, time.Second
)

var (
	errNoHolder   = errors.New("no holder runs this server now: the operator has to start `winnowteam hold`, or to look into its log")
	errHolderGone = errors.New("the holder that had this request does not run the server any more, and nobody knows whether it took effect: it was not made again")
)

// RoundTrip implements http.RoundTripper.
func (p *placed) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(r.Context(), placeTime)
	defer cancel()
	var before pg.Lease
	ago := watchEvery
	for {
		lease, held, err := p.board.read(ctx, p.server, ago)
		if err == nil && held && lease != before {
			answer, err := p.send(r, lease)
			var op *net.OpError
			unread := errors.As(err, &op) && op.Op == "dial"
			if err != nil && !unread || err == nil && answer.StatusCode != http.StatusMisdirectedRequest {
				return answer, err
			}
			if err == nil {
				_ = answer.Body.Close()
			}
			before, ago = lease, 0
			continue
		}
		ago = placeEvery / 2
		select {
		case <-time.After(placeEvery):
		case <-ctx.Done():
			if r.Context().Err() != nil {
				return nil, context.Cause(r.Context())
			}
			return nil, errors.Join(errNoHolder, err)
		}
	}
}

// send sends a request to a holder in the epoch of its lease.
func (p *placed) send(r *http.Request, lease pg.Lease) (*http.Response, error) {
	ctx, end := context.WithCancelCause(r.Context())
	one := r.Clone(ctx)
	if r.GetBody != nil {
		body, err := r.GetBody()
		if err != nil {
			end(err)
			return nil, err
		}
		one.Body = body
	}
	epoch := strconv.FormatInt(lease.Epoch, 10)
	one.URL.Host, one.Host = lease.Address, lease.Address
	one.Header.Set(epochHeader, epoch)
	one.Header.Set("Authorization", "Bearer "+p.ring.Passes("holder", p.server, epoch)[0])
	go p.watch(ctx, end, lease)
	answer, err := p.next.RoundTrip(one)
	if err != nil {
		err = fmt.Errorf("the holder at %s: %w", lease.Address, cmp.Or(gone(ctx), err))
		end(err)
		return nil, err
	}
	answer.Body = &watched{answer.Body, func() error { return gone(ctx) }, end}
	return answer, nil
}

// watch ends a request when its holder does not have the lease any more: a machine that
// is gone, or stands still, answers nothing.
func (p *placed) watch(ctx context.Context, end context.CancelCauseFunc, lease pg.Lease) {
	again := time.NewTicker(watchEvery)
	defer again.Stop()
	for {
		select {
		case <-again.C:
		case <-ctx.Done():
			return
		}
		now, _, err := p.board.read(ctx, p.server, watchEvery/2)
		if err == nil && now.Epoch != lease.Epoch {
			end(errHolderGone)
			return
		}
	}
}

// gone returns [errHolderGone] where that has ended a request.
func gone(ctx context.Context) error {
	if err := context.Cause(ctx); errors.Is(err, errHolderGone) {
		return err
	}
	return nil
}

// watched is the body of an answer of a holder's, which is watched until it is closed.
type watched struct {
	io.ReadCloser

	gone func() error
	end  context.CancelCauseFunc
}

// Read implements io.Reader.
func (w *watched) Read(b []byte) (int, error) {
	n, err := w.ReadCloser.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = cmp.Or(w.gone(), err)
	}
	return n, err
}

// Close implements io.Closer.
func (w *watched) Close() error {
	err := w.ReadCloser.Close()
	w.end(nil)
	return err
}
