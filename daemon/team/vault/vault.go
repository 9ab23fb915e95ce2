package vault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/winnow-mcp/winnow/daemon/principal"
)

// Account says by whose account users reach a server.
type Account struct {
	// By is one of [ByUser], [ByExchange], [ByAssertion] and [ByService].
	By string `json:"by"`
	// Issuer is the authorization server; "" means the one that the server names (RFC
	// 9728).
	Issuer string `json:"issuer,omitzero"`
	// ClientID and ClientSecret are the operator's registration there; the secret may be
	// `${env:NAME}`. Without an ID, the URL of the client metadata document is used.
	ClientID     string   `json:"clientId,omitzero"`
	ClientSecret string   `json:"clientSecret,omitzero"`
	Scopes       []string `json:"scopes,omitzero"`
}

// Values of [Account].By.
const (
	// ByUser: each user connects their own account.
	ByUser = "user"
	// ByExchange: the authorization server issues a token in exchange for the user's
	// token for this gateway (RFC 8693).
	ByExchange = "exchange"
	// ByAssertion: the users' OpenID provider asserts to the authorization server who the
	// user is, by an Identity Assertion JWT Authorization Grant (ID-JAG).
	ByAssertion = "id-jag"
	// ByService: all users share the account of the client (RFC 6749, 4.4).
	ByService = "service"
)

// Team is the principal as which the gateway itself lists a server's tools.
var Team = principal.Principal{Subject: "team"}

// Key identifies a credential by principal and server.
type Key struct {
	principal.Principal

	Server string
}

// Kept is a stored credential. Its times are by the store's clock.
type Kept struct {
	Version int64
	KeyID   string
	Sealed  []byte
	// Left is how long the access token remains valid, and Claimed how long the current
	// claim to renew it lasts.
	Left, Claimed time.Duration
	// Dead reports that it cannot be renewed any more.
	Dead bool
}

// Errors of a [Store].
var (
	// ErrNone: there is no such credential.
	ErrNone = errors.New("no account is connected")
	// ErrSpent: the nonce was used before.
	ErrSpent = errors.New("this page was used before")
	// ErrOvertaken: the version is no longer the newest, or was deleted.
	ErrOvertaken = errors.New("the account was connected anew or disconnected meanwhile")
)

// Store stores credentials.
type Store interface {
	// Credential returns a credential, or [ErrNone].
	Credential(ctx context.Context, k Key) (Kept, error)
	// Connect stores a new credential in place of any other.
	Connect(ctx context.Context, k Key, keyID string, sealed []byte, life time.Duration) error
	// Claim grants one process the right to renew a version, for a time.
	Claim(ctx context.Context, k Key, version int64, by string, lasting time.Duration) (bool, error)
	// Renewed stores the next version and ends the claim, or returns [ErrOvertaken].
	Renewed(ctx context.Context, k Key, version int64, by, keyID string, sealed []byte, life time.Duration) error
	// Unclaim ends a claim without a result; dead marks the credential as not renewable.
	Unclaim(ctx context.Context, k Key, version int64, by string, dead bool) error
	// Spend uses up a nonce, or returns [ErrSpent].
	Spend(ctx context.Context, nonce string, life time.Duration) error
}

const (
	// margin is how long before its end a token is renewed.
	margin = 30 * time.Second
	// cacheTime is how long a credential is used without reading it again.
	cacheTime = time.Minute
	// defaultClaim is how long one replica has to renew a token. If it dies meanwhile,
	// the others wait that long.
	defaultClaim = 5 * time.Second
	// endless is the lifetime of a token that does not expire.
	endless = 10 * 365 * 24 * time.Hour
	// lookAgain is the polling interval of requests that wait for another replica.
	lookAgain = 20 * time.Millisecond
)

// Options configures a [Vault].
type Options struct {
	Store Store
	Ring  *Ring
	// Replica identifies this process among those that share the store.
	Replica string
	// Base is the base URL of the pages, such as https://tools.example.com.
	Base string
	// Person authenticates the visitors of pages, and its provider makes assertions of
	// users; nil disables both.
	Person *Person
	// Account returns the operator's account for a server, and the server's address.
	Account func(server string) (a Account, url string, ok bool)
	// Environ looks up the variables of secrets.
	Environ func(name string) (string, bool)
	// Claim is how long one replica has to renew a token; 0 means five seconds.
	Claim time.Duration
	Log   *slog.Logger
}

// Vault supplies the credentials of requests. Safe for concurrent use.
type Vault struct {
	options Options
	client  *http.Client
	flights singleflight.Group
	servers authServers

	// mu guards cache, which holds credentials read or exchanged.
	mu    sync.Mutex
	cache map[cacheKey]cached
}

// cacheKey identifies a token by principal, method and address, and an exchanged one also
// by a hash of the original.
type cacheKey struct {
	Key

	by, url, subject string
}

// flight returns the name of the single flight for the key.
func (k cacheKey) flight(refused string) string {
	return k.Key.Key(strings.Join([]string{k.by, k.Server, k.url, k.subject, refused}, " "))
}

type cached struct {
	token string
	until time.Time
}

// maxCached bounds the tokens in memory.
const maxCached = 10_000

// New returns a vault.
func New(o Options) *Vault {
	if o.Claim == 0 {
		o.Claim = defaultClaim
	}
	client := &http.Client{
		// It ends before the claim does.
		Timeout:       o.Claim * 4 / 5,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &Vault{options: o, client: client, cache: map[cacheKey]cached{}, servers: authServers{client: client, known: map[string]known{}}}
}

// Forget clears the cache, after an account was connected or disconnected.
func (v *Vault) Forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	clear(v.cache)
}

// NotConnected is returned if a user has no account for a request.
type NotConnected struct {
	Server string
	// Page is where the user connects one; "" if there is no page.
	Page string
}

func (e *NotConnected) Error() string {
	if e.Page == "" {
		return fmt.Sprintf("no account at %q is connected, and this gateway has no page to connect one: its operator has to start it with --client-id", e.Server)
	}
	return fmt.Sprintf("no account at %q is connected. The user has to open this page in a browser, sign in there, and ask again: %s", e.Server, e.Page)
}

// Token returns the token for a request to a server on behalf of a principal. refused is
// a token that the server has refused before. It returns a [NotConnected] if the user has
// to connect an account, and "" if the gateway acts for itself and has none.
func (v *Vault) Token(ctx context.Context, p principal.Principal, server, refused string) (token string, err error) {
	account, url, ok := v.options.Account(server)
	if !ok {
		return "", nil
	}
	return v.tokenOf(ctx, p, server, account, url, refused)
}

// tokenOf is Token with the account and its address given.
func (v *Vault) tokenOf(ctx context.Context, p principal.Principal, server string, account Account, url, refused string) (token string, err error) {
	k := Key{p, server}
	own := p == (principal.Principal{})
	if own || account.By == ByService {
		k.Principal = Team
	}
	switch {
	case account.By == ByUser:
		token, err = v.connected(ctx, k, account, url, refused)
	case (account.By == ByExchange || account.By == ByAssertion) && !own:
		token, err = v.exchanged(ctx, k, account, url, bearer(ctx), refused)
	default:
		token, err = v.exchanged(ctx, k, account, url, "", refused)
	}
	var none *NotConnected
	if own && errors.As(err, &none) {
		return "", nil
	}
	return token, err
}

// known returns a cached token, unless it was refused.
func (v *Vault) known(k cacheKey, refused string) (token string, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	c, ok := v.cache[k]
	return c.token, ok && c.token != refused && time.Now().Before(c.until)
}

// note caches a token, if it is valid for longer than the margin.
func (v *Vault) note(k cacheKey, token string, life time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.cache) >= maxCached {
		clear(v.cache)
	}
	v.cache[k] = cached{token, time.Now().Add(min(life-margin, cacheTime))}
}

// once runs do once for concurrent callers in this process. It completes even if a
// caller's ctx ends.
func (v *Vault) once(ctx context.Context, name string, do func(ctx context.Context) (string, error)) (string, error) {
	flight := v.flights.DoChan(name, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 6*v.options.Claim)
		defer cancel()
		return do(ctx)
	})
	select {
	case done := <-flight:
		token, _ := done.Val.(string)
		return token, done.Err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// credential is the sealed content.
type credential struct {
	Access  string `json:"access"`
	Refresh string `json:"refresh,omitzero"`
	// Issuer issued it, and is the only server that gets the refresh token.
	Issuer   string `json:"issuer"`
	ClientID string `json:"clientId"`
}

// purpose ties a sealed credential to its principal and its server's address.
func (k Key) purpose(url string) []byte {
	return bound("credential", k.Issuer, k.Subject, k.Server, url)
}

func (v *Vault) seal(k Key, url string, c credential) (keyID string, sealed []byte, err error) {
	plain, err := json.Marshal(c)
	if err != nil {
		return "", nil, err
	}
	keyID, sealed = v.options.Ring.seal(plain, k.purpose(url))
	return keyID, sealed, nil
}

func (v *Vault) unseal(k Key, url string, kept Kept) (c credential, err error) {
	plain, err := v.options.Ring.open(kept.KeyID, kept.Sealed, k.purpose(url))
	if err == nil {
		err = json.Unmarshal(plain, &c)
	}
	return c, err
}

// connected returns the token of a connected account, renewed if necessary.
func (v *Vault) connected(ctx context.Context, k Key, a Account, url, refused string) (string, error) {
	ck := cacheKey{Key: k, by: a.By, url: url}
	if token, ok := v.known(ck, refused); ok {
		return token, nil
	}
	token, err := v.once(ctx, ck.flight(refused), func(ctx context.Context) (string, error) {
		return v.read(ctx, k, a, url, refused)
	})
	if errors.Is(err, ErrNone) {
		return "", v.notConnected(k)
	}
	return token, err
}

// read reads a credential until it is usable. This replica renews it, or waits for the
// one that does.
func (v *Vault) read(ctx context.Context, k Key, a Account, url, refused string) (string, error) {
	for {
		kept, err := v.options.Store.Credential(ctx, k)
		if err != nil {
			return "", err
		}
		c, err := v.unseal(k, url, kept)
		if err != nil {
			v.options.Log.Warn("an account has to be connected anew", "server", k.Server, "subject", k.Subject, "error", err)
			return "", ErrNone
		}
		usable := c.Access != refused && kept.Left > 0
		switch {
		case c.Access != refused && kept.Left > margin, usable && (c.Refresh == "" || kept.Dead):
			v.note(cacheKey{Key: k, by: a.By, url: url}, c.Access, kept.Left)
			return c.Access, nil
		case kept.Dead || c.Refresh == "":
			return "", ErrNone
		}
		if kept.Claimed <= 0 {
			token, err := v.renew(ctx, k, a, url, kept.Version, c)
			switch {
			case errors.Is(err, ErrOvertaken):
			case err != nil && usable && !errors.Is(err, ErrNone):
				return c.Access, nil // it is still valid, and another request tries again
			default:
				return token, err
			}
		}
		select {
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return "", fmt.Errorf("the account at %q is being renewed: %w", k.Server, context.Cause(ctx))
		}
	}
}

// renew redeems the refresh token, unless another replica does or has: then it returns
// [ErrOvertaken]. It stores the result before anything else.
func (v *Vault) renew(ctx context.Context, k Key, a Account, url string, version int64, c credential) (string, error) {
	as, err := v.servers.of(ctx, a, url)
	if err != nil {
		return "", fmt.Errorf("the account at %q cannot be renewed now: %w", k.Server, err)
	}
	// The request to the authorization server must end before the claim does.
	within, cancel := context.WithTimeout(ctx, v.options.Claim*4/5)
	defer cancel()
	mine, err := v.options.Store.Claim(ctx, k, version, v.options.Replica, v.options.Claim)
	if err != nil {
		return "", err
	}
	if !mine {
		return "", ErrOvertaken
	}
	next, life, err := v.redeem(within, k, as, a, url, c)
	if err != nil {
		dead := refusedGrant(err)
		if err := v.options.Store.Unclaim(ctx, k, version, v.options.Replica, dead); err != nil {
			v.options.Log.Warn("a claim is left to run out", "server", k.Server, "error", err)
		}
		if dead {
			return "", ErrNone
		}
		return "", fmt.Errorf("the account at %q cannot be renewed now: %w", k.Server, err)
	}
	keyID, sealed, err := v.seal(k, url, next)
	for err == nil {
		if err = v.options.Store.Renewed(ctx, k, version, v.options.Replica, keyID, sealed, life); err == nil || errors.Is(err, ErrOvertaken) {
			break
		}
		// This is the only copy.
		v.options.Log.Warn("a renewed account is not stored yet", "server", k.Server, "error", err)
		select {
		case <-time.After(10 * lookAgain):
			err = nil
		case <-ctx.Done():
		}
	}
	if err != nil {
		return "", err
	}
	v.note(cacheKey{Key: k, by: a.By, url: url}, next.Access, life)
	return next.Access, nil
}

// bearerKey carries the token of a request to the gateway. It is sent only to the
// authorization server for an exchange, if an operator configured one.
type bearerKey struct{}

// WithBearer adds a request's token for [Vault.Token].
func WithBearer(ctx context.Context, token string) context.Context {
	return context.WithValue(ctx, bearerKey{}, token)
}

func bearer(ctx context.Context) string {
	token, _ := ctx.Value(bearerKey{}).(string)
	return token
}
