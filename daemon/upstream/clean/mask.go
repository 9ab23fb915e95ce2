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

// minCredential is the length from which a credential is looked for in what a
// server sends: anything shorter stands in texts by chance.
const minCredential = 8

// Credential makes a value one that is masked in what the server sends, beside
// being removed from logs and errors.
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

// CredentialsOf makes those of a configuration masked: the values of environment,
// headers, flags and queries whose names say so.
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

// mask replaces the credentials in the strings of JSON that the server has sent, but
// not the values of the members exact. Numbers stay, and names of members but for those
// in structured content, which are the server's own. A credential that the server has
// changed, encoded or split is not found.
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

// Log returns a log of the server for a person: without its secrets, without what
// looks like others, which it may have from elsewhere, and without what is
// hidden.
func (r *Redactor) Log(text string) string { return secrets.HideIn(Shown(r, text)) }

// mayHold reports whether a string of JSON may say a text: it is written in it as
// it is, or the JSON has escapes of which the text may be made. Searching for
// each text in turn costs least: there are few, and what is searched for is
// nearly never there.
func mayHold(raw []byte, text string) bool {
	if bytes.Contains(raw, []byte(text)) || bytes.Contains(raw, []byte(`\u`)) {
		return true
	}
	return strings.ContainsAny(text, "\"\\/\b\f\n\r\t") && bytes.IndexByte(raw, '\\') >= 0
}

// masked returns what the server has sent without the credentials that Winnow
// put into it, those in members that have to stay as they are left out, and
// tells the server's log.
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
