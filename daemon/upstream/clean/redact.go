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

// redacted is the replacement of a secret.
const redacted = "[redacted]"

// Redactor removes the secrets of one server from text. Secrets are added as they become
// known (inputs, tokens). It is safe for concurrent use.
type Redactor struct {
	// mu guards what follows.
	mu sync.Mutex
	// secrets are removed from logs and errors, credentials also from data of the server.
	secrets, credentials texts
	// Unmasked disables the masking of the server's data; may be nil.
	Unmasked func() bool
}

// Settings are the parts of a configuration that may hold secrets.
type Settings struct {
	Env, Headers      map[string]string
	Args              []string
	URL, ClientSecret string
}

// Absorb adds the secrets in a configuration. Those of earlier configurations stay,
// because the log may contain them.
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

// addURL adds the password and the query values of a URL.
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

// Add adds a secret. Values under four bytes are ignored: replacing them would hide
// nothing and make text unreadable.
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

// inJSON returns a text as it appears inside a JSON string, with or without escapes for
// HTML.
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

// texts is a set of strings to replace. Callers must synchronize access.
type texts struct {
	all []string
	// built is the replacer of all, nil until it is needed.
	built *strings.Replacer
}

// add adds a string if it is new.
func (t *texts) add(text string) {
	if !slices.Contains(t.all, text) {
		t.all, t.built = append(t.all, text), nil
	}
}

// replacer returns the replacer of all strings. Longer strings come first, because
// earlier pairs win.
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

// Err returns an error whose text has no secrets or hidden text. It still matches err
// with errors.Is, but not with errors.As. If err's text has none, Err returns err.
func (r *Redactor) Err(err error) error {
	if err == nil {
		return nil
	}
	if before := err.Error(); before == Shown(r, before) {
		return err
	}
	return &redactedError{text: Shown(r, plainwords.Of(err)), err: err}
}

// redactedError hides the text of an error. It supports errors.Is only: errors.As would
// return the unredacted error.
type redactedError struct {
	text string
	err  error
}

func (e *redactedError) Error() string        { return e.text }
func (e *redactedError) Is(target error) bool { return errors.Is(e.err, target) }

// harmless reports whether a value under that key may be shown: it is short or a path,
// and the key is not that of a secret. Logs without such values of env would explain
// nothing.
func harmless(key, value string) bool {
	if secrets.IsName(key) {
		return false
	}
	return len(value) < 8 || filepath.IsAbs(value) || strings.HasPrefix(value, "~/")
}
