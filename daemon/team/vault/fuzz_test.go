package vault_test

import (
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/team/vault"
)

// untouched is a store that nothing may reach.
type untouched struct{ t testing.TB }

var errTouched = errors.New("the store was reached")

func (u untouched) Credential(context.Context, vault.Key) (vault.Kept, error) {
	u.t.Error("a credential is read")
	return vault.Kept{}, errTouched
}

func (u untouched) Connect(_ context.Context, k vault.Key, _ string, _ []byte, _ time.Duration) error {
	u.t.Errorf("an account of %v is connected", k)
	return errTouched
}

func (u untouched) Claim(context.Context, vault.Key, int64, string, time.Duration) (bool, error) {
	u.t.Error("a credential is claimed")
	return false, errTouched
}

func (u untouched) Renewed(context.Context, vault.Key, int64, string, string, []byte, time.Duration) error {
	u.t.Error("a credential is renewed")
	return errTouched
}

func (u untouched) Unclaim(context.Context, vault.Key, int64, string, bool) error {
	u.t.Error("a credential is given up")
	return errTouched
}

func (u untouched) Spend(context.Context, string, time.Duration) error {
	u.t.Error("a nonce is spent")
	return errTouched
}

// browserCookie is the name of the cookie by which a browser is known.
const browserCookie = "__Host-winnow_connect"

// FuzzPages: an address, a state or a browser's cookie that this gateway did not make so,
// or made for something else, leads nowhere: it is refused before anything is stored, and
// nobody is sent to an authorization server.
func FuzzPages(f *testing.F) {
	as := startIssuer(f)
	ring, err := vault.ParseRing(keys("k"))
	if err != nil {
		f.Fatal(err)
	}
	open := func(t testing.TB) *vault.Vault {
		return vault.New(vault.Options{
			Store: untouched{t}, Ring: ring, Replica: "r", Base: "https://team.example", Log: slog.New(slog.DiscardHandler),
			Account: func(string) (vault.Account, string, bool) {
				return vault.Account{By: vault.ByUser, Issuer: as.URL, ClientID: "gateway"}, address, true
			},
		})
	}
	v := open(f)
	get := func(v *vault.Vault, path string, query url.Values, cookie string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, "https://team.example"+path, nil)
		r.URL.RawQuery = query.Encode()
		if cookie != "" {
			r.AddCookie(&http.Cookie{Name: browserCookie, Value: cookie})
		}
		w := httptest.NewRecorder()
		v.ServeHTTP(w, r)
		return w
	}
	page, err := v.Page(vault.Key{Principal: vault.Team, Server: server})
	if err != nil {
		f.Fatal(err)
	}
	_, ticket, _ := strings.Cut(page, "?for=")
	first := get(v, vault.PagesPath, url.Values{"for": {ticket}}, "")
	to, err := url.Parse(first.Header().Get("Location"))
	if err != nil || first.Code != http.StatusFound || len(first.Result().Cookies()) != 1 || first.Result().Cookies()[0].Name != browserCookie {
		f.Fatalf("%d: %s", first.Code, first.Body)
	}
	state, cookie := to.Query().Get("state"), first.Result().Cookies()[0]
	for _, text := range []string{"", ".", "k.", "k", "other." + strings.TrimPrefix(ticket, "k."), "k.AAAA", strings.Repeat("k.A", 50_000), "k.\x00", "k.e30", ticket + "=", ticket + ticket, ticket[:len(ticket)/2]} {
		f.Add(text, text, 0, byte(0))
	}
	for at := range 40 {
		f.Add("", "", at*len(ticket)/40, byte('A'+at%26))
		f.Add("", cookie.Value, at*len(state)/40, byte(at*6))
	}
	// same reports whether two texts are one sealed value: the last letter of base64 has
	// bits that say nothing.
	same := func(a, b string) bool {
		id, x, _ := strings.Cut(a, ".")
		other, y, _ := strings.Cut(b, ".")
		p, err := base64.RawURLEncoding.DecodeString(x)
		q, other2 := base64.RawURLEncoding.DecodeString(y)
		return id == other && err == nil && other2 == nil && string(p) == string(q)
	}
	f.Fuzz(func(t *testing.T, text, browser string, at int, with byte) {
		v := open(t)
		tamper := func(text string) string {
			if at < 0 || at >= len(text) {
				return text[:len(text)/2]
			}
			return text[:at] + string([]byte{with}) + text[at+1:]
		}
		for _, one := range []string{text, tamper(ticket), state} { // a state is no address
			if same(one, ticket) {
				continue
			}
			if w := get(v, vault.PagesPath, url.Values{"for": {one}}, browser); w.Code != http.StatusForbidden || w.Header().Get("Location") != "" || len(w.Result().Cookies()) > 0 {
				t.Errorf("the address %q: HTTP %d, to %q", one, w.Code, w.Header().Get("Location"))
			}
		}
		back := func(state, cookie string) {
			t.Helper()
			if w := get(v, vault.PagesPath+"/back", url.Values{"state": {state}, "code": {"c"}, "iss": {as.URL}}, cookie); w.Code != http.StatusForbidden {
				t.Errorf("back with %q and %q: HTTP %d", state, cookie, w.Code)
			}
		}
		for _, one := range []string{text, tamper(state), ticket} {
			if !same(one, state) {
				back(one, cookie.Value)
			}
		}
		sent := httptest.NewRequest(http.MethodGet, "/", nil)
		sent.AddCookie(&http.Cookie{Name: browserCookie, Value: browser}) // without what no cookie can have
		if got, err := sent.Cookie(browserCookie); err != nil || got.Value != cookie.Value {
			back(state, browser)
		}
	})
}
