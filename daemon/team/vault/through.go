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

// Through is the http.RoundTripper for requests to one server. It authorizes each by the
// account of the principal that it is made for.
type Through struct {
	Vault  *Vault
	Server string
	// URL is the server's URL.
	URL  string
	Next http.RoundTripper
	// OnBehalf returns the principal of a request; zero means the gateway.
	OnBehalf func(ctx context.Context) principal.Principal

	// mu guards the following fields. A server with sessions gives one to the gateway,
	// which belongs to the gateway's account. Each principal has a session too, begun as
	// the gateway's was.
	mu       sync.Mutex
	first    *http.Request
	body     []byte
	sessions map[principal.Principal]string
}

const sessionHeader = "Mcp-Session-Id"

// RoundTrip implements http.RoundTripper. It repeats a request with a refused token once
// with a new one, because the server has not processed it.
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

// send sends a request with a token. If alone is set, it uses the principal's own
// session, if there are sessions, and omits the client's cookies, which all users share.
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
		_ = answer.Body.Close() // this session has ended, but the gateway's has not
		t.mu.Lock()
		delete(t.sessions, who)
		t.mu.Unlock()
	}
}

// noteFirst records the request with which the gateway begins a session.
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

// maxSessions bounds the principals' sessions at one server.
const maxSessions = 1000

// session returns the session of a principal, and begins one if needed.
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
