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
	// By is one of [ByUser], [ByExchange] and [ByService].
	By string `json:"by"`
	// Issuer is the authorization server. Empty is the one that the server names
	// (RFC 9728).
	Issuer string `json:"issuer,omitzero"`
	// ClientID and ClientSecret are what the operator has registered there; the
	// secret may be `${env:NAME}`. Without an id, the address of a client metadata
	// document is one.
	ClientID     string   `json:"clientId,omitzero"`
	ClientSecret string   `json:"clientSecret,omitzero"`
	Scopes       []string `json:"scopes,omitzero"`
}

// Whose account a request is made by.
const (
	// ByUser: each user connects an account of theirs.
	ByUser = "user"
	// ByExchange: the authorization server gives a token for the server in exchange
	// for the user's token of this gateway (RFC 8693).
	ByExchange = "exchange"
	// ByService: all users share the account of the client (RFC 6749, 4.4).
	ByService = "service"
)

// Team is on whose behalf the gateway itself speaks to a server: to list its tools.
var Team = principal.Principal{Subject: "team"}

// Key is whose credential for which server.
type Key struct {
	principal.Principal

	Server string
}

// Kept is a credential as it is kept. Its clock is that of the store.
type Kept struct {
	Version int64
	KeyID   string
	Sealed  []byte
	// Left is how long the access token is valid still, Claimed how long somebody
	// has it still to renew it.
	Left, Claimed time.Duration
	// Dead: it cannot be renewed any more.
	Dead bool
}

// Errors of a [Store].
var (
	// ErrNone: there is no such credential.
	ErrNone = errors.New("no account is connected")
	// ErrSpent: a nonce was used before.
	ErrSpent = errors.New("this page was used before")
	// ErrOvertaken: a version is not the newest any more, or was deleted.
	ErrOvertaken = errors.New("the account was connected anew or disconnected meanwhile")
)

// Store keeps credentials.
type Store interface {
	// Credential returns a credential, or [ErrNone].
	Credential(ctx context.Context, k Key) (Kept, error)
	// Connect keeps a new credential in the place of any before it.
	Connect(ctx context.Context, k Key, keyID string, sealed []byte, life time.Duration) error
	// Claim lets one of those who want to renew a version do so, for a time.
	Claim(ctx context.Context, k Key, version int64, by string, lasting time.Duration) (bool, error)
	// Renewed keeps the next version, and ends the claim, or returns [ErrOvertaken].
	Renewed(ctx context.Context, k Key, version int64, by, keyID string, sealed []byte, life time.Duration) error
	// Unclaim ends a claim that came to nothing; dead: nobody is to try again.
	Unclaim(ctx context.Context, k Key, version int64, by string, dead bool) error
	// Spend uses a nonce up, or returns [ErrSpent].
	Spend(ctx context.Context, nonce string, life time.Duration) error
}

const (
	// margin is how long before its end a token is renewed.
	margin = 30 * time.Second
	// cacheTime is how long a credential that was read is used without another look.
	cacheTime = time.Minute
	// defaultClaim is how long one replica has to renew a token. One that dies
	// meanwhile holds up the others for so long.
	defaultClaim = 5 * time.Second
	// endless is the life of a token that does not expire.
	endless = 10 * 365 * 24 * time.Hour
	// lookAgain is the pause of those who wait for another replica.
	lookAgain = 20 * time.Millisecond
)

// Options configure a [Vault].
type Options struct {
	Store Store
	Ring  *Ring
	// Replica names this process among those that share the store.
	Replica string
	// Base is the address under which the pages are, such as
	// https://tools.example.com.
	Base string
	// Person verifies who somebody at a page is; nil shows pages to nobody.
	Person *Person
	// Account returns the account that the operator has written for a server, and
	// its address.
	Account func(server string) (a Account, url string, ok bool)
	// Environ looks up what secrets are named by.
	Environ func(name string) (string, bool)
	// Claim is how long one replica has to renew a token; 0 is five seconds.
	Claim time.Duration
	Log   *slog.Logger
}

// Vault gives requests the credentials that they need. It is safe for concurrent
// use.
type Vault struct {
	options Options
	client  *http.Client
	flights singleflight.Group
	servers authServers

	// mu guards cache, which has what was read and exchanged.
	mu    sync.Mutex
	cache map[cacheKey]cached
}

// cacheKey is whose token, by which way and for which address; of an exchanged one,
// by a hash, in exchange for which.
type cacheKey struct {
	Key

	by, url, subject string
}

// flight names what is done once at a time for the key.
func (k cacheKey) flight(refused string) string {
	return k.Key.Key(strings.Join([]string{k.by, k.Server, k.url, k.subject, refused}, " "))
}

type cached struct {
	token string
	until time.Time
}

// maxCached bounds the tokens that are kept in memory.
const maxCached = 10_000

// New returns a vault.
func New(o Options) *Vault {
	if o.Claim == 0 {
		o.Claim = defaultClaim
	}
	client := &http.Client{
		// It is over before the claim is.
		Timeout:       o.Claim * 4 / 5,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &Vault{options: o, client: client, cache: map[cacheKey]cached{}, servers: authServers{client: client, known: map[string]known{}}}
}

// Forget drops what is in memory: somebody has connected another account, or
// disconnected one.
func (v *Vault) Forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	clear(v.cache)
}

// NotConnected is returned where a user has no account that a request could be made
// by.
type NotConnected struct {
	Server string
	// Page is where the user connects one; empty where there is no page.
	Page string
}

func (e *NotConnected) Error() string {
	if e.Page == "" {
		return fmt.Sprintf("no account at %q is connected, and this gateway has no page to connect one: its operator has to start it with --client-id", e.Server)
	}
	return fmt.Sprintf("no account at %q is connected. The user has to open this page in a browser, sign in there, and ask again: %s", e.Server, e.Page)
}

// Token returns what authorizes a request to a server on behalf of a principal;
// refused is a token that the server has refused before. It returns a
// [NotConnected] where the user has to connect an account, and nothing where the
// gateway speaks for itself and has none.
func (v *Vault) Token(ctx context.Context, p principal.Principal, server, refused string) (token string, err error) {
	account, url, ok := v.options.Account(server)
	if !ok {
		return "", nil
	}
	return v.tokenOf(ctx, p, server, account, url, refused)
}

// tokenOf is Token with the account as it was looked up, and its address.
func (v *Vault) tokenOf(ctx context.Context, p principal.Principal, server string, account Account, url, refused string) (token string, err error) {
	k := Key{p, server}
	own := p == (principal.Principal{})
	if own || account.By == ByService {
		k.Principal = Team
	}
	switch {
	case account.By == ByUser:
		token, err = v.connected(ctx, k, account, url, refused)
	case account.By == ByExchange && !own:
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

// known returns a token in memory, unless it was refused.
func (v *Vault) known(k cacheKey, refused string) (token string, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	c, ok := v.cache[k]
	return c.token, ok && c.token != refused && time.Now().Before(c.until)
}

// note keeps a token in memory. One of less time left than the margin is not kept.
func (v *Vault) note(k cacheKey, token string, life time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.cache) >= maxCached {
		clear(v.cache)
	}
	v.cache[k] = cached{token, time.Now().Add(min(life-margin, cacheTime))}
}

// once does something once for all who ask for it at the same time in this process.
// What is begun is done, also when who asked goes away.
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

// credential is what is sealed.
type credential struct {
	Access  string `json:"access"`
	Refresh string `json:"refresh,omitzero"`
	// Issuer has issued it, and is the only one that it is sent to.
	Issuer   string `json:"issuer"`
	ClientID string `json:"clientId"`
}

// purpose of a sealed credential: it opens for its principal and its server at its
// address, and for nothing else.
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

// connected returns the token of an account that was connected, renewed where it
// has to be.
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

// read reads a credential until there is one that can be used: this replica renews
// it, or waits for the one that does.
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
				return c.Access, nil // it is valid still, and another request tries again
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

// renew redeems the refresh token, where no other replica does: it returns
// [ErrOvertaken] where one does, or has. What came of it is stored before anything
// else.
func (v *Vault) renew(ctx context.Context, k Key, a Account, url string, version int64, c credential) (string, error) {
	as, err := v.servers.of(ctx, a, url)
	if err != nil {
		return "", fmt.Errorf("the account at %q cannot be renewed now: %w", k.Server, err)
	}
	// The authorization server is asked no longer than the claim lasts for sure.
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
		// There is no other copy of it.
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

// bearerKey carries the token by which a request came to the gateway. It goes to the
// authorization server that it is exchanged at, where an operator has said so, and
// nowhere else.
type bearerKey struct{}

// WithBearer lets [Vault.Token] find the token by which a request came.
func WithBearer(ctx context.Context, token string) context.Context {
	return context.WithValue(ctx, bearerKey{}, token)
}

func bearer(ctx context.Context) string {
	token, _ := ctx.Value(bearerKey{}).(string)
	return token
}
