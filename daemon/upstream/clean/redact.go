package clean

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/plainwords"
	"github.com/winnow-mcp/winnow/daemon/secrets"
)

// redacted replaces a secret.
const redacted = "[redacted]"

// Redactor removes the secrets of one server from text. Secrets are added as
// they become known (inputs, tokens); it is safe for concurrent use.
type Redactor struct {
	// mu guards what follows.
	mu sync.Mutex
	// secrets are removed from logs and errors, credentials from what the server
	// sends as well.
	secrets, credentials texts
	// Unmasked is whether what the server sends is left unmasked; nil is no. It is set before use.
	Unmasked func() bool
}

// Settings are what of a server's configuration may hold secrets.
type Settings struct {
	Env, Headers      map[string]string
	Args              []string
	URL, ClientSecret string
}

// Absorb adds the secrets that are written in a configuration. Those of an
// earlier one stay: the log may still hold them.
func (r *Redactor) Absorb(cfg Settings) {
	r.CredentialsOf(cfg)
	for key, value := range cfg.Env {
		if !harmless(key, value) {
			r.Add(value)
		}
	}
	for key, value := range cfg.Headers {
		if secrets.HarmlessHeader(key) {
			continue
		}
		r.Add(value)
		if _, credentials, ok := strings.Cut(value, " "); ok {
			r.Add(credentials)
		}
	}
	for _, secret := range secrets.Arguments(cfg.Args) {
		r.Add(secret.Value)
	}
	r.Add(cfg.ClientSecret)
	r.addURL(cfg.URL)
}

// addURL adds the password and the query values of an address.
func (r *Redactor) addURL(raw string) {
	u, err := url.Parse(raw)
	if err != nil {
		return
	}
	if password, ok := u.User.Password(); ok {
		r.Add(password)
		r.Add(url.QueryEscape(password))
	}
	for key, values := range u.Query() {
		for _, value := range values {
			if !harmless(key, value) {
				r.Add(value)
				r.Add(url.QueryEscape(value))
			}
		}
	}
}

// Add makes a value secret. Values of under four bytes are not: replacing
// them would make text unreadable and hide nothing.
func (r *Redactor) Add(secret string) {
	secret = strings.TrimSpace(secret)
	if len(secret) < 4 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets.add(secret)
	for _, html := range []bool{false, true} {
		r.secrets.add(inJSON(secret, html))
	}
}

// inJSON is a text as a server that logs JSON writes it between quotes, with or
// without the escapes for HTML.
func inJSON(text string, html bool) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(html)
	if encoder.Encode(text) != nil { // a string always encodes
		return text
	}
	quoted := strings.TrimSuffix(b.String(), "\n")
	return quoted[1 : len(quoted)-1]
}

// Text returns s without secrets.
func (r *Redactor) Text(s string) string {
	r.mu.Lock()
	replacer := r.secrets.replacer()
	r.mu.Unlock()
	return replacer.Replace(s)
}

// texts are to be replaced wherever they stand. Who uses them excludes others.
type texts struct {
	all []string
	// built is the replacer of all, nil until it is needed.
	built *strings.Replacer
}

// add takes a text in, once.
func (t *texts) add(text string) {
	if !slices.Contains(t.all, text) {
		t.all, t.built = append(t.all, text), nil
	}
}

// replacer returns what replaces the texts. It prefers earlier pairs: longest
// first, so that a text that begins with another is replaced whole.
func (t *texts) replacer() *strings.Replacer {
	if t.built == nil {
		slices.SortFunc(t.all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
		pairs := make([]string, 0, 2*len(t.all))
		for _, text := range t.all {
			pairs = append(pairs, text, redacted)
		}
		t.built = strings.NewReplacer(pairs...)
	}
	return t.built
}

// Err returns an error that reads like err without secrets and hidden text, and
// that still matches
// with errors.Is and errors.As.
func (r *Redactor) Err(err error) error {
	if err == nil {
		return nil
	}
	if before := err.Error(); before == Shown(r, before) {
		return err
	}
	return &redactedError{text: Shown(r, plainwords.Of(err)), err: err}
}

// redactedError hides the text of an error, not its identity. Only sentinel
// matching goes through: errors.As would hand out the unredacted text.
type redactedError struct {
	text string
	err  error
}

func (e *redactedError) Error() string        { return e.text }
func (e *redactedError) Is(target error) bool { return errors.Is(e.err, target) }

// harmless reports whether a value under that key may be shown: what looks
// like neither a credential nor the name of one. Env blocks are full of paths,
// levels and switches, and a log without them explains nothing.
func harmless(key, value string) bool {
	if secrets.IsName(key) {
		return false
	}
	return len(value) < 8 || filepath.IsAbs(value) || strings.HasPrefix(value, "~/")
}
