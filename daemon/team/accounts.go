package team

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/team/vault"
	"github.com/winnow-mcp/winnow/daemon/upstream"
)

// baseOf returns the base URL of the pages: the gateway's without its path.
func baseOf(resource string) (u *url.URL, base string, err error) {
	u, err = url.Parse(resource)
	if err != nil || u.Scheme == "" || u.Host == "" || u.Fragment != "" {
		return nil, "", fmt.Errorf("the address of the gateway has to be a whole URL without a fragment, such as https://tools.example.com/mcp, not %q", resource)
	}
	return u, u.Scheme + "://" + u.Host, nil
}

// openVault opens the vault of users' accounts.
func (r *replica) openVault(o Options) {
	if r.ring = o.Ring; r.ring == nil {
		return
	}
	host, _ := os.Hostname()
	var person *vault.Person
	if o.ClientID != "" {
		person = &vault.Person{
			Issuer: o.Issuer, ClientID: o.ClientID, ClientSecret: o.ClientSecret,
			Verify: func(ctx context.Context, idToken string) (principal.Principal, string, error) {
				who, err := r.verifier.VerifyID(ctx, idToken, o.ClientID)
				return who.Principal, who.Name, err
			},
		}
	}
	r.vault = vault.New(vault.Options{
		Store: r.store.Credentials(), Ring: o.Ring, Replica: fmt.Sprint(host, " ", os.Getpid()), Base: o.base, Person: person, Environ: o.Environ, Log: o.Log,
		Account: func(server string) (vault.Account, string, bool) { return r.current.Load().account(server) },
	})
}

// through returns the transport for the requests to a server.
func (r *replica) through(server, url string, next http.RoundTripper) http.RoundTripper {
	return sent{r.traces, r.byAccount(server, url, next)}
}

// byAccount returns the transport for the requests to a server by whoever's account.
func (r *replica) byAccount(server, url string, next http.RoundTripper) http.RoundTripper {
	if url == addressOf(server) && r.vault != nil {
		dialer := &net.Dialer{Timeout: 2 * time.Second} // a machine that is gone does not refuse
		return &placed{server: server, board: r.board, ring: r.ring, next: &http.Transport{
			DialContext: dialer.DialContext, IdleConnTimeout: time.Minute, MaxIdleConnsPerHost: 64,
		}}
	}
	if r.vault == nil {
		return keyless{r, server, next}
	}
	return telling{&vault.Through{Vault: r.vault, Server: server, URL: url, Next: next, OnBehalf: upstream.OnBehalf}}
}

// keyless refuses requests that need an account if there are no keys to store it.
type keyless struct {
	*replica

	server string
	next   http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (k keyless) RoundTrip(r *http.Request) (*http.Response, error) {
	now := k.current.Load()
	_, program := now.programs[k.server]
	if _, _, ok := now.account(k.server); ok || program {
		return nil, fmt.Errorf("server %q cannot be reached: the operator has to start this gateway with --keys", k.server)
	}
	return k.next.RoundTrip(r)
}

// telling returns, as the server's own answer, what a user has to do first.
type telling struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t telling) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.next.RoundTrip(r)
	var needed *vault.NotConnected
	if !errors.As(err, &needed) {
		return answer, err
	}
	told := &upstream.RPCError{Server: needed.Server, What: "sign-in", Code: upstream.CodeURLRequired, Message: needed.Error()}
	if needed.Page != "" {
		told.Data, err = json.Marshal(map[string]any{"elicitations": []any{map[string]string{
			"mode": "url", "elicitationId": needed.Page[len(needed.Page)-16:], "url": needed.Page,
			"message": fmt.Sprintf("your account at %q has to be connected first", needed.Server),
		}}})
		if err != nil {
			return nil, err
		}
	}
	return nil, told
}
