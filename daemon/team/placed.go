package team

import (
	"context"
	"errors"
	"fmt"
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
// it. Those that have not reached one wait until another holder does.
type placed struct {
	server string
	leases pg.Leases
	ring   *vault.Ring
	next   *http.Transport

	mu   sync.Mutex
	last pg.Lease // guarded by mu
}

// holderHost stands for whichever holder it is.
const holderHost = "holder.invalid"

// addressOf is the address of a program, in the place of its command.
func addressOf(server string) string {
	return (&url.URL{Scheme: "http", Host: holderHost, Path: holderPath + server}).String()
}

// placeTime is how long a request waits for a holder: one that was killed keeps its
// lease at first, and the program has to be started.
const placeTime = 2 * leaseTime

var errNoHolder = errors.New("no holder runs this server now: the operator has to start `winnowteam hold`, or to look into its log")

// RoundTrip implements http.RoundTripper.
func (p *placed) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(r.Context(), placeTime)
	defer cancel()
	p.mu.Lock()
	lease := p.last
	p.mu.Unlock()
	for {
		if lease.Address != "" {
			answer, err := p.send(r, lease)
			var op *net.OpError
			unread := errors.As(err, &op) && op.Op == "dial"
			if err != nil && !unread || err == nil && answer.StatusCode != http.StatusMisdirectedRequest {
				return answer, err
			}
			if err == nil {
				_ = answer.Body.Close()
			}
		}
		all, err := p.leases.All(ctx)
		if err == nil {
			if now := all[p.server]; now != lease {
				lease = now
				p.mu.Lock()
				p.last = now
				p.mu.Unlock()
				continue
			}
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			if r.Context().Err() != nil {
				return nil, context.Cause(r.Context())
			}
			return nil, errors.Join(errNoHolder, err)
		}
	}
}

func (p *placed) send(r *http.Request, lease pg.Lease) (*http.Response, error) {
	one := r.Clone(r.Context())
	if r.GetBody != nil {
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		one.Body = body
	}
	epoch := strconv.FormatInt(lease.Epoch, 10)
	one.URL.Host, one.Host = lease.Address, lease.Address
	one.Header.Set(epochHeader, epoch)
	one.Header.Set("Authorization", "Bearer "+p.ring.Passes("holder", p.server, epoch)[0])
	answer, err := p.next.RoundTrip(one)
	if err != nil {
		return nil, fmt.Errorf("the holder at %s: %w", lease.Address, err)
	}
	return answer, nil
}
