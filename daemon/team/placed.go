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
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/winnow-mcp/winnow/daemon/team/pg"
	"github.com/winnow-mcp/winnow/daemon/team/vault"
)

// placed routes the requests to a server that is a program to the holder that runs it.
// Requests that have not reached a holder wait for one. Requests at a holder whose lease
// has ended fail.
type placed struct {
	server string
	board  *board
	ring   *vault.Ring
	next   *http.Transport
}

// board caches which holder runs what. It is safe for concurrent use; no lock is held
// while the database is read.
type board struct {
	leases pg.Leases

	flights singleflight.Group
	last    atomic.Pointer[placings] // nil before the first read
}

// placings are the leases by server, as they were at a time.
type placings struct {
	leases map[string]pg.Lease
	at     time.Time
}

// read returns the lease of a server, at most ago old. Concurrent reads share a query,
// which one caller's end does not cancel.
func (b *board) read(ctx context.Context, server string, ago time.Duration) (lease pg.Lease, held bool, err error) {
	if last := b.last.Load(); last == nil || time.Since(last.at) > ago {
		query := b.flights.DoChan("", func() (any, error) {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), placeTime)
			defer cancel()
			at := time.Now()
			all, err := b.leases.All(ctx)
			if err == nil {
				b.last.Store(&placings{all, at})
			}
			return nil, err
		})
		select {
		case done := <-query:
			if done.Err != nil {
				return pg.Lease{}, false, done.Err
			}
		case <-ctx.Done():
			return pg.Lease{}, false, context.Cause(ctx)
		}
	}
	lease, held = b.last.Load().leases[server]
	return lease, held, nil
}

// holderHost is a placeholder for any holder.
const holderHost = "holder.invalid"

// addressOf returns the address of a program, in place of its command.
func addressOf(server string) string {
	return (&url.URL{Scheme: "http", Host: holderHost, Path: holderPath + server}).String()
}

const (
	// placeTime is how long a request waits for a holder: a killed one's lease has to
	// expire first, and the program has to start.
	placeTime = 10 * time.Second
	// placeEvery is how often it looks for a holder. watchEvery is how often a request at
	// a holder checks the lease.
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

// watch cancels a request when its holder no longer has the lease, because a failed or
// suspended machine does not answer.
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

// gone returns [errHolderGone] if that cancelled a request.
func gone(ctx context.Context) error {
	if err := context.Cause(ctx); errors.Is(err, errHolderGone) {
		return err
	}
	return nil
}

// watched is the body of a holder's answer, which is watched until it is closed.
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
