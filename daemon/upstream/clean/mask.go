package clean

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/secrets"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// minCredential is the shortest credential that is masked in data of a server. Shorter
// ones occur in texts by chance.
const minCredential = 8

// Credential adds a value that is masked in data of the server and removed from logs and
// errors.
func (r *Redactor) Credential(value string) {
	r.Add(value)
	value = strings.TrimSpace(value)
	if len(value) < minCredential || strings.Contains(value, "${") {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.credentials.add(value)
}

// CredentialsOf adds the credentials of a configuration: values of env, headers, flags
// and queries whose names are those of secrets.
func (r *Redactor) CredentialsOf(cfg Settings) {
	for key, value := range cfg.Env {
		if secrets.IsName(key) {
			r.Credential(value)
		}
	}
	for key, value := range cfg.Headers {
		if !secrets.IsName(key) {
			continue
		}
		r.Credential(value)
		if _, rest, ok := strings.Cut(value, " "); ok {
			r.Credential(rest)
		}
	}
	for _, secret := range secrets.Arguments(cfg.Args) {
		r.Credential(secret.Value)
	}
	r.Credential(cfg.ClientSecret)
	for _, value := range secrets.OfURL(cfg.URL) {
		r.Credential(value)
	}
}

// mask replaces the credentials in the JSON strings that the server has sent, except in
// values of the members exact. Numbers are unchanged. Member names are changed in
// structured content only, where the server chooses them. A credential that the server
// has altered, encoded or split is not found.
func (r *Redactor) mask(raw json.RawMessage, exact ...string) (masked json.RawMessage, found bool) {
	r.mu.Lock()
	all, replacer := slices.Clone(r.credentials.all), r.credentials.replacer()
	r.mu.Unlock()
	if !slices.ContainsFunc(all, func(value string) bool { return mayHold(raw, value) }) {
		return raw, false
	}
	renamed := false
	masked = ijson.MapAll(raw, func(open []ijson.Level, name bool, value string) string {
		inner := len(open) - 1
		for inner >= 0 && !open[inner].Object {
			inner--
		}
		switch {
		case name && (inner < 1 || open[0].Member != "structuredContent"):
			return value
		case !name && inner >= 0 && slices.Contains(exact, open[inner].Member):
			return value
		}
		after := replacer.Replace(value)
		found, renamed = found || after != value, renamed || name && after != value
		return after
	})
	if renamed {
		masked = SingleNamed(masked)
	}
	return masked, found
}

// Log returns a server's log for a person: without the server's secrets, without text
// that looks like other secrets, and without hidden text.
func (r *Redactor) Log(text string) string { return secrets.HideIn(Shown(r, text)) }

// mayHold reports whether a JSON text may contain a string: literally, or by escapes.
// Searching for each string in turn is cheapest, because there are few and they almost
// never occur.
func mayHold(raw []byte, text string) bool {
	if bytes.Contains(raw, []byte(text)) || bytes.Contains(raw, []byte(`\u`)) {
		return true
	}
	return strings.ContainsAny(text, "\"\\/\b\f\n\r\t") && bytes.IndexByte(raw, '\\') >= 0
}

// masked returns the data of the server with the configuration's credentials masked,
// except in the members exact, and logs that.
func (c Cleaner) masked(what string, raw json.RawMessage, exact ...string) json.RawMessage {
	if c.redact.Unmasked != nil && c.redact.Unmasked() {
		return raw
	}
	clean, found := c.redact.mask(raw, exact...)
	if found {
		c.log.WriteLine(OurPrefix, fmt.Appendf(nil, "%s: a credential of its configuration was masked", what))
	}
	return clean
}
