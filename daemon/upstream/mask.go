package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/ijson"
	"github.com/winnow-mcp/winnow/daemon/secrets"
)

// minCredential is the length from which a credential is looked for in what a
// server sends: anything shorter stands in texts by chance.
const minCredential = 8

// credential makes a value one that is masked in what the server sends, beside
// being removed from logs and errors.
func (r *redactor) credential(value string) {
	r.add(value)
	value = strings.TrimSpace(value)
	if len(value) < minCredential || strings.Contains(value, "${") {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.credentials.add(value)
}

// credentialsOf makes those of a configuration masked: the values of environment,
// headers, flags and queries whose names say so.
func (r *redactor) credentialsOf(cfg Config) {
	for key, value := range cfg.Env {
		if secrets.IsName(key) {
			r.credential(value)
		}
	}
	for key, value := range cfg.Headers {
		if !secrets.IsName(key) {
			continue
		}
		r.credential(value)
		if _, rest, ok := strings.Cut(value, " "); ok {
			r.credential(rest)
		}
	}
	for _, secret := range secrets.Arguments(cfg.Args) {
		r.credential(secret.Value)
	}
	r.credential(cfg.OAuth.ClientSecret)
	for _, value := range secrets.OfURL(cfg.URL) {
		r.credential(value)
	}
}

// mask replaces the credentials in the strings of JSON that the server has sent,
// those of the members exact left out; numbers and the names of members stay. A
// credential that the server has changed, encoded or split is not found.
func (r *redactor) mask(raw json.RawMessage, exact ...string) (masked json.RawMessage, found bool) {
	r.mu.Lock()
	all, replacer := slices.Clone(r.credentials.all), r.credentials.replacer()
	r.mu.Unlock()
	if !slices.ContainsFunc(all, func(value string) bool { return mayHold(raw, value) }) {
		return raw, false
	}
	masked = ijson.MapStrings(raw, func(member, value string) string {
		if slices.Contains(exact, member) {
			return value
		}
		after := replacer.Replace(value)
		found = found || after != value
		return after
	})
	return masked, found
}

// log returns a log of the server for a person: without its secrets, without what
// looks like others, which it may have from elsewhere, and without what is
// hidden.
func (r *redactor) log(text string) string { return secrets.HideIn(shown(r, text)) }

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
func (c cleaner) masked(what string, raw json.RawMessage, exact ...string) json.RawMessage {
	if c.redact.unmasked != nil && c.redact.unmasked() {
		return raw
	}
	clean, found := c.redact.mask(raw, exact...)
	if found {
		c.log.writeLine(ourPrefix, fmt.Appendf(nil, "%s: a credential of its configuration was masked", what))
	}
	return clean
}

// askInput returns what asks for an input, and masks a value that is secret.
func (h Hooks) askInput(redact *redactor) func(ctx context.Context, server, id string) (string, error) {
	if h.Input == nil {
		return nil
	}
	return func(ctx context.Context, server, id string) (string, error) {
		value, err := h.Input(ctx, server, id)
		if err == nil && (h.InputIsSecret == nil || h.InputIsSecret(server, id)) {
			redact.credential(value)
		}
		return value, err
	}
}
