package vault

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/principal"
)

// Through is what the requests to one server go through: each is authorized by the
// account of whom it is made for. It is an http.RoundTripper.
type Through struct {
	Vault  *Vault
	Server string
	// URL is the server's.
	URL  string
	Next http.RoundTripper
	// OnBehalf returns whom a request is made for; the zero value is the gateway.
	OnBehalf func(ctx context.Context) principal.Principal

	// mu guards what follows. A server of a revision with sessions gives one to the
	// gateway, which is of the gateway's account; each principal has one besides,
	// begun as the gateway's was.
	mu       sync.Mutex
	first    *http.Request
	body     []byte
	sessions map[principal.Principal]string
}

const sessionHeader = "Mcp-Session-Id"

// RoundTrip implements http.RoundTripper. A request whose token is refused is made
// once more with a new one: the server has not looked at it.
func (t *Through) RoundTrip(r *http.Request) (*http.Response, error) {
	account, address, ok := t.Vault.options.Account(t.Server)
	if ok && address != t.URL {
		return nil, errors.New("this server's address has changed; try again")
	}
	if to, err := url.Parse(t.URL); !ok || err != nil || r.URL.Scheme != to.Scheme || r.URL.Host != to.Host {
		return t.Next.RoundTrip(r)
	}
	who := t.OnBehalf(r.Context())
	own := who == (principal.Principal{})
	if own {
		if err := t.noteFirst(r); err != nil {
			return nil, err
		}
	}
	token, err := t.Vault.tokenOf(r.Context(), who, t.Server, account, address, "")
	if err != nil {
		return nil, err
	}
	alone := !own && account.By != ByService
	answer, err := t.send(r, who, token, alone)
	if err != nil || token == "" || answer.StatusCode != http.StatusUnauthorized || r.Body != nil && r.GetBody == nil {
		return answer, err
	}
	again, err := t.Vault.tokenOf(r.Context(), who, t.Server, account, address, token)
	if err != nil || again == token {
		if err != nil {
			_ = answer.Body.Close()
			return nil, err
		}
		return answer, nil
	}
	_ = answer.Body.Close()
	return t.send(r, who, again, alone)
}

// send sends a request with a token; alone: in a session of the principal's own where
// there are sessions, and without the cookies of the client, which all users share.
func (t *Through) send(r *http.Request, who principal.Principal, token string, alone bool) (*http.Response, error) {
	apart := alone && r.Header.Get(sessionHeader) != ""
	for again := false; ; again = true {
		one := r.Clone(r.Context())
		if r.GetBody != nil {
			body, err := r.GetBody()
			if err != nil {
				return nil, err
			}
			one.Body = body
		}
		if alone {
			one.Header.Del("Cookie")
		}
		if token != "" {
			one.Header.Set("Authorization", "Bearer "+token)
		}
		if apart {
			session, err := t.session(r.Context(), who, token)
			if err != nil {
				return nil, err
			}
			one.Header.Del(sessionHeader)
			if session != "" {
				one.Header.Set(sessionHeader, session)
			}
		}
		answer, err := t.Next.RoundTrip(one)
		if err == nil && alone {
			answer.Header.Del("Set-Cookie")
		}
		if err != nil || !apart || again || answer.StatusCode != http.StatusNotFound || r.GetBody == nil {
			return answer, err
		}
		_ = answer.Body.Close() // this session has ended, and the gateway's has not
		t.mu.Lock()
		delete(t.sessions, who)
		t.mu.Unlock()
	}
}

// noteFirst notes how the gateway begins a session.
func (t *Through) noteFirst(r *http.Request) error {
	if r.Method != http.MethodPost || r.GetBody == nil || r.Header.Get(sessionHeader) != "" {
		return nil
	}
	in, err := r.GetBody()
	if err != nil {
		return err
	}
	body, err := io.ReadAll(in)
	var m struct{ Method string }
	if err != nil || json.Unmarshal(body, &m) != nil || m.Method != "initialize" {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.first, t.body, t.sessions = r.Clone(context.Background()), body, map[principal.Principal]string{}
	t.first.Header.Del("Cookie")
	return nil
}

// maxSessions bounds the sessions of principals at one server.
const maxSessions = 1000

// session returns the session of a principal, which it begins where there is none.
func (t *Through) session(ctx context.Context, who principal.Principal, token string) (string, error) {
	t.mu.Lock()
	session, ok := t.sessions[who]
	first, body := t.first, t.body
	t.mu.Unlock()
	if ok {
		return session, nil
	}
	for _, text := range [][]byte{body, []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)} {
		r := first.Clone(ctx)
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		r.Header.Set("Authorization", "Bearer "+token)
		if session != "" {
			r.Header.Set(sessionHeader, session)
		}
		answer, err := t.Next.RoundTrip(r)
		if err != nil {
			return "", err
		}
		_, err = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
		if err == nil && answer.StatusCode >= http.StatusBadRequest {
			err = fmt.Errorf("it refuses to begin a session of the user's: HTTP %d", answer.StatusCode)
		}
		if err != nil {
			return "", err
		}
		if session == "" {
			session = answer.Header.Get(sessionHeader)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.sessions) >= maxSessions {
		clear(t.sessions)
	}
	t.sessions[who] = session
	return session, nil
}
