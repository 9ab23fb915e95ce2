package identity_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/team/identity"
)

// signer is an OpenID provider in memory, which signs anything.
type signer struct {
	*httptest.Server

	key *rsa.PrivateKey
}

func startSigner(t testing.TB) *signer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	s := &signer{httptest.NewServer(mux), key}
	t.Cleanup(s.Close)
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": s.URL, "jwks_uri": s.URL + "/jwks", "id_token_signing_alg_values_supported": []string{"RS256"}})
	})
	mux.HandleFunc("GET /jwks", func(w http.ResponseWriter, _ *http.Request) {
		e := big.NewInt(int64(key.E)).Bytes()
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": []any{map[string]string{
			"kty": "RSA", "kid": "k", "use": "sig", "alg": "RS256", "n": encoded(key.N.Bytes()), "e": encoded(e),
		}}})
	})
	return s
}

func encoded(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// sign returns a token of any head and claims.
func (s *signer) sign(t testing.TB, head, claims string) string {
	t.Helper()
	text := encoded([]byte(head)) + "." + encoded([]byte(claims))
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(nil, s.key, crypto.SHA256, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + encoded(signature)
}

// FuzzVerify: whoever cannot sign is not let in, whatever the head of the token says of
// how it is verified; a token of the provider is taken only for this resource, in its
// time, as whom it names; and a token of alice's that was tampered with is nobody else's.
func FuzzVerify(f *testing.F) {
	provider := startSigner(f)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	v := identity.New(identity.Options{Issuer: provider.URL, Resource: resource, Now: func() time.Time { return now }})
	const head = `{"alg":"RS256","kid":"k","typ":"at+jwt"}`
	claims := func(iss, aud, sub string, exp int64) string {
		return fmt.Sprintf(`{"iss":%q,"aud":%s,"sub":%q,"exp":%d,"groups":["staff"]}`, iss, aud, sub, exp)
	}
	at := now.Unix()
	good := claims(provider.URL, `"`+resource+`"`, "alice", at+60)
	hers := provider.sign(f, head, good)
	if who, err := v.Verify(f.Context(), hers); err != nil || who.Subject != "alice" {
		f.Fatalf("%+v, %v", who, err)
	}
	// Heads that try to say how the token is verified.
	for _, one := range []string{
		head, `{"alg":"none"}`, `{"alg":"None","kid":"k"}`, `{"alg":"HS256","kid":"k"}`, `{"alg":"RS256","kid":"other"}`, `{"alg":"RS256"}`, `{}`, `null`, `[]`, ``,
		`{"alg":["RS256"]}`, `{"alg":"RS256","alg":"none","kid":"k"}`, `{"alg":"RS256","kid":"k","crit":["exp"]}`, `{"alg":"RS256","jku":"https://evil.example/jwks"}`,
		`{"alg":"RS256","jwk":{"kty":"RSA","n":"AQAB","e":"AQAB"}}`, `{"alg":"PS256","kid":"k"}`, `{"alg":"ES256","kid":"../../k"}`, `{"alg":"RS256","kid":"k","zip":"DEF"}`,
		`{"alg":"RS256","kid":"` + strings.Repeat("k", 100_000) + `"}`,
	} {
		f.Add(one, good, []byte("signature"), 0, byte(0))
	}
	// Claims that are not for this resource.
	for _, one := range []string{
		claims("https://evil.example", `"`+resource+`"`, "alice", at+60), claims(provider.URL+"/", `"`+resource+`"`, "alice", at+60),
		claims(provider.URL, `"https://team.example/other"`, "alice", at+60), claims(provider.URL, `[]`, "alice", at+60), claims(provider.URL, `null`, "alice", at+60),
		claims(provider.URL, `["https://else.example","`+resource+`"]`, "bob", at+60), claims(provider.URL, `"`+resource+`"`, "", at+60),
		claims(provider.URL, `"`+resource+`"`, "alice", at-1), claims(provider.URL, `"`+resource+`"`, "alice", 0), `{}`, `null`, `[[[[`, ``,
		`{"iss":"` + provider.URL + `","aud":"` + resource + `","sub":7,"exp":"soon"}`, `{"iss":"` + provider.URL + `","aud":"` + resource + `","sub":"a","exp":1e99}`,
		strings.Repeat(`{"a":`, 20_000), good + good,
	} {
		f.Add(head, one, []byte(nil), 0, byte(0))
	}
	for _, at := range []int{0, 1, len(hers) / 2, len(hers) - 1} {
		f.Add(head, good, []byte(nil), at, byte('.'))
		f.Add(head, good, []byte(nil), at, byte('A'))
	}
	f.Fuzz(func(t *testing.T, head, claims string, signature []byte, at int, with byte) {
		refused := func(what, token string) {
			t.Helper()
			who, err := v.Verify(t.Context(), token)
			if !errors.Is(err, identity.ErrToken) {
				t.Errorf("%s: %+v, %v", what, who, err)
			}
			if err != nil && len(token) > 20 && strings.Contains(err.Error(), token) {
				t.Errorf("%s: the token stands in the error", what)
			}
		}
		text := encoded([]byte(head)) + "." + encoded([]byte(claims))
		refused("not signed by the provider", text+"."+encoded(signature))
		refused("not encoded", head+"."+claims+"."+string(signature))
		refused("truncated", text)
		if who, err := v.Verify(t.Context(), provider.sign(t, head, claims)); err == nil {
			var said struct {
				Iss, Sub string
				Aud      any
				Exp      float64
			}
			if err := json.Unmarshal([]byte(claims), &said); err != nil {
				t.Fatalf("claims that are not JSON are taken: %v", err)
			}
			many, _ := said.Aud.([]any)
			ours := said.Aud == resource
			for _, one := range many {
				ours = ours || one == resource
			}
			if said.Iss != provider.URL || !ours || who.Issuer != provider.URL || who.Subject != said.Sub || who.Subject == "" || said.Exp < float64(now.Unix()) {
				t.Errorf("%s is taken as %+v", claims, who)
			}
		} else if !errors.Is(err, identity.ErrToken) {
			t.Errorf("signed by the provider: %v", err)
		}
		if at >= 0 && at < len(hers) {
			tampered := hers[:at] + string([]byte{with}) + hers[at+1:]
			if who, err := v.Verify(t.Context(), tampered); err == nil && (who.Subject != "alice" || strings.Join(who.Groups, " ") != "staff") {
				t.Errorf("alice's token with %q at %d is %+v", with, at, who)
			}
			refused("cut off", hers[:at])
		}
	})
}
