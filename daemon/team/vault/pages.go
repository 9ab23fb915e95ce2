package vault

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/winnow-mcp/winnow/daemon/principal"
)

// A user connects an account at pages in a browser. The address of the first page
// contains, sealed, the user and the server. Whoever opens it first signs in at the
// team's own provider, because the address may have been passed on, and one user's
// account must not become another's. Then the server's authorization server asks for
// consent, and the credential is stored.

// Person is how the visitor of a page is authenticated: as a user of the team's OpenID
// provider.
type Person struct {
	Issuer, ClientID, ClientSecret string
	// Verify returns the subject of an ID token for the client.
	Verify func(ctx context.Context, idToken string) (p principal.Principal, name string, err error)
}

const (
	// PagesPath is the path of the first page; all others are below it.
	PagesPath = "/connect"
	// backPath is the redirect path.
	backPath = PagesPath + "/back"
	// documentPath is the path of the client metadata document.
	documentPath = PagesPath + "/client.json"
	// pageTime is how long the address of a page is valid, and walkTime how long the
	// sign-in may take.
	pageTime = 15 * time.Minute
	walkTime = 10 * time.Minute
	// browserCookie ties the sign-in to one browser. Over https it has a prefix by which
	// browsers accept it from this host only.
	browserCookie = "winnow_connect"
	hostPrefix    = "__Host-"
)

// ticket is the content of the first page's address.
type ticket struct {
	Key   Key       `json:"key"`
	Until time.Time `json:"until"`
	// Once is spent when the account is stored.
	Once string `json:"once"`
}

// step is what a browser brings back with an authorization response.
type step struct {
	ticket

	// Account reports that the response is for the account, after authentication.
	Account bool `json:"account,omitzero"`
	// Browser is a hash of the browser's cookie.
	Browser  string `json:"browser"`
	Verifier string `json:"verifier"`
	Nonce    string `json:"nonce"`
	// Issuer is the server that it was sent to, as ClientID.
	Issuer   string `json:"issuer"`
	ClientID string `json:"clientId"`
}

// Page returns the address of the page at which a principal connects an account at a
// server.
func (v *Vault) Page(k Key) (string, error) {
	if _, _, ok := v.options.Account(k.Server); !ok {
		return "", fmt.Errorf("server %q has no accounts that users connect", k.Server)
	}
	text, err := v.options.Ring.token(ticket{k, time.Now().Add(pageTime), random()}, bound("ticket"))
	return v.options.Base + PagesPath + "?for=" + text, err
}

// notConnected returns the error for a missing credential, with the page.
func (v *Vault) notConnected(k Key) error {
	e := &NotConnected{Server: k.Server}
	if v.options.Person != nil {
		e.Page, _ = v.Page(k)
	}
	return e
}

// ServeHTTP implements http.Handler for the pages.
func (v *Vault) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	switch {
	case r.Method != http.MethodGet:
		http.Error(w, "405 method not allowed", http.StatusMethodNotAllowed)
	case r.URL.Path == documentPath:
		v.document(w)
	case r.URL.Path == PagesPath:
		v.begin(w, r)
	case r.URL.Path == backPath:
		v.back(w, r)
	default:
		http.NotFound(w, r)
	}
}

// document serves the client metadata document, whose URL is the client ID.
func (v *Vault) document(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"client_id": v.options.Base + documentPath, "client_name": "Winnow, a team's gateway", "redirect_uris": []string{v.options.Base + backPath},
		"grant_types": []string{"authorization_code", "refresh_token"}, "response_types": []string{"code"}, "token_endpoint_auth_method": "none",
	})
}

// begin redirects a browser to authenticate its user.
func (v *Vault) begin(w http.ResponseWriter, r *http.Request) {
	var t ticket
	if err := v.options.Ring.untoken(r.URL.Query().Get("for"), bound("ticket"), &t); err != nil || time.Now().After(t.Until) {
		say(w, http.StatusForbidden, "This address is not valid any more", "Ask again in your client for a new one.")
		return
	}
	if _, _, ok := v.options.Account(t.Key.Server); !ok {
		say(w, http.StatusNotFound, "Nothing is to be connected here", "")
		return
	}
	cookie, err := r.Cookie(v.cookieName())
	if err != nil {
		cookie = &http.Cookie{
			Name: v.cookieName(), Value: random(), Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
			Secure: v.https(),
		}
		http.SetCookie(w, cookie)
	}
	next := step{ticket: t, Browser: hashed(cookie.Value)}
	switch {
	case t.Key.Principal == Team: // only an operator has such an address
		v.toAccount(w, r, next)
	case v.options.Person == nil:
		say(w, http.StatusNotFound, "No account can be connected here", "The operator of this gateway has to start it with --client-id.")
	default:
		v.send(w, r, next, Account{Issuer: v.options.Person.Issuer, ClientID: v.options.Person.ClientID, Scopes: []string{"openid"}}, "")
	}
}

func (v *Vault) https() bool { return strings.HasPrefix(v.options.Base, "https:") }

func (v *Vault) cookieName() string {
	if v.https() {
		return hostPrefix + browserCookie
	}
	return browserCookie
}

func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// toAccount redirects a browser to the authorization server of the account.
func (v *Vault) toAccount(w http.ResponseWriter, r *http.Request, next step) {
	a, server, ok := v.options.Account(next.Key.Server)
	if !ok || a.By != ByUser {
		say(w, http.StatusNotFound, "Nothing is to be connected here", "")
		return
	}
	next.Account = true
	v.send(w, r, next, a, server)
}

// send redirects a browser to an authorization server.
func (v *Vault) send(w http.ResponseWriter, r *http.Request, next step, a Account, server string) {
	as, err := v.servers.of(r.Context(), a, server)
	if err == nil && a.ClientID == "" {
		if a.ClientID = v.options.Base + documentPath; !as.ReadsDocuments {
			err = fmt.Errorf("the authorization server %s takes no client metadata documents: the operator has to register this gateway there, with %s, and to write its \"clientId\" into the account",
				as.Issuer, v.options.Base+backPath)
		}
	}
	if err != nil {
		v.options.Log.Warn("an account cannot be connected", "server", next.Key.Server, "error", err)
		say(w, http.StatusBadGateway, "The account cannot be connected", err.Error())
		return
	}
	next.Verifier, next.Nonce, next.Issuer, next.ClientID = oauth2.GenerateVerifier(), random(), as.Issuer, a.ClientID
	next.Until = time.Now().Add(walkTime)
	state, err := v.options.Ring.token(next, bound("step"))
	if err != nil {
		say(w, http.StatusInternalServerError, "The account cannot be connected", "")
		return
	}
	config := oauth2.Config{
		ClientID: a.ClientID, RedirectURL: v.options.Base + backPath, Scopes: a.Scopes,
		Endpoint: oauth2.Endpoint{AuthURL: as.AuthorizationEndpoint},
	}
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(next.Verifier)}
	if server != "" {
		options = append(options, oauth2.SetAuthURLParam("resource", server))
	}
	http.Redirect(w, r, config.AuthCodeURL(state, options...), http.StatusFound)
}

var errStep = errors.New("this page was reached in another way than it should be; ask again in your client")

// back handles the redirect back from an authorization server.
func (v *Vault) back(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	var s step
	err := v.options.Ring.untoken(q.Get("state"), bound("step"), &s)
	cookie, cookieErr := r.Cookie(v.cookieName())
	if err != nil || cookieErr != nil || hashed(cookie.Value) != s.Browser || time.Now().After(s.Until) || q.Get("iss") != "" && q.Get("iss") != s.Issuer {
		say(w, http.StatusForbidden, "The account was not connected", errStep.Error())
		return
	}
	if code := q.Get("error"); code != "" {
		say(w, http.StatusForbidden, "The account was not connected", "The authorization server said: "+code)
		return
	}
	if err := v.options.Store.Spend(r.Context(), s.Nonce, walkTime); err != nil {
		status := http.StatusServiceUnavailable
		if errors.Is(err, ErrSpent) {
			status = http.StatusForbidden
		}
		say(w, status, "The account was not connected", err.Error())
		return
	}
	if s.Account {
		v.keep(w, r, s, q)
	} else {
		v.recognize(w, r, s, q)
	}
}

// recognize identifies the user, and continues if the page is for them.
func (v *Vault) recognize(w http.ResponseWriter, r *http.Request, s step, q url.Values) {
	person := v.options.Person
	if person == nil {
		say(w, http.StatusForbidden, "The account was not connected", errStep.Error())
		return
	}
	a := Account{Issuer: person.Issuer, ClientID: person.ClientID, ClientSecret: person.ClientSecret}
	token, _, err := v.redeemCode(r.Context(), s, a, "", q)
	var who principal.Principal
	var name string
	if err == nil {
		idToken, _ := token.Extra("id_token").(string)
		who, name, err = person.Verify(r.Context(), idToken)
	}
	switch {
	case err != nil:
		v.options.Log.Warn("who is at a page is not known", "error", err)
		say(w, http.StatusForbidden, "The account was not connected", "Who you are could not be verified: "+err.Error())
	case who != s.Key.Principal:
		say(w, http.StatusForbidden, "This page is for somebody else", fmt.Sprintf("You are signed in as %q. Open only addresses that your own client has shown you.", name))
	default:
		v.toAccount(w, r, s)
	}
}

func (v *Vault) redeemCode(ctx context.Context, s step, a Account, server string, q url.Values) (*oauth2.Token, time.Duration, error) {
	as, err := v.servers.of(ctx, a, server)
	switch {
	case err != nil:
		return nil, 0, err
	case as.Issuer != s.Issuer, as.NamesItself && q.Get("iss") == "":
		return nil, 0, errStep
	}
	params := url.Values{
		"grant_type": {"authorization_code"}, "code": {q.Get("code")}, "redirect_uri": {v.options.Base + backPath}, "code_verifier": {s.Verifier},
	}
	if server != "" {
		params.Set("resource", server)
	}
	return v.grant(ctx, as, a, s.ClientID, params)
}

// keep stores the credential of an account.
func (v *Vault) keep(w http.ResponseWriter, r *http.Request, s step, q url.Values) {
	a, server, ok := v.options.Account(s.Key.Server)
	err := errStep
	if ok {
		var token *oauth2.Token
		var life time.Duration
		if token, life, err = v.redeemCode(r.Context(), s, a, server, q); err == nil {
			c := credential{Access: token.AccessToken, Refresh: token.RefreshToken, Issuer: s.Issuer, ClientID: s.ClientID}
			var keyID string
			var sealed []byte
			if keyID, sealed, err = v.seal(s.Key, server, c); err == nil {
				// Spent for as long as a sign-in that began with it can last.
				err = v.options.Store.Spend(r.Context(), s.Once, pageTime+2*walkTime)
			}
			if err == nil {
				err = v.options.Store.Connect(r.Context(), s.Key, keyID, sealed, life)
			}
		}
	}
	if err != nil {
		v.options.Log.Warn("an account was not connected", "server", s.Key.Server, "error", err)
		status := http.StatusBadGateway
		if errors.Is(err, ErrSpent) {
			status = http.StatusForbidden
		}
		say(w, status, "The account was not connected", err.Error())
		return
	}
	v.Forget()
	say(w, http.StatusOK, fmt.Sprintf("Your account at %q is connected", s.Key.Server), "You can close this page and go back to your client.")
}

var page = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{{.Title}}</title>
<style>:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem}</style>
<main><h1>{{.Title}}</h1><p>{{.Text}}</p></main></html>
`))

// say writes a page.
func say(w http.ResponseWriter, status int, title, text string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = page.Execute(w, struct{ Title, Text string }{title, text})
}
