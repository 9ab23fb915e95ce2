package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

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
	for _, form := range writtenForms(value) {
		if !slices.ContainsFunc(r.masked, func(known []byte) bool { return bytes.Equal(known, form) }) {
			// The longest first: one that begins with another is replaced whole.
			i, _ := slices.BinarySearchFunc(r.masked, form, func(a, b []byte) int { return len(b) - len(a) })
			r.masked = slices.Insert(slices.Clone(r.masked), i, form)
		}
	}
}

// credentials makes those of a configuration masked: the values of environment,
// headers, flags and queries whose names say so.
func (r *redactor) credentials(cfg Config) {
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

// mask replaces the credentials in JSON that the server has sent. A credential
// that the server has changed, encoded or split is not found.
//
// Searching for each one in turn costs least: there are few, and what is
// searched for is nearly never there.
func (r *redactor) mask(raw json.RawMessage) (masked json.RawMessage, found bool) {
	r.mu.Lock()
	forms := r.masked
	r.mu.Unlock()
	for _, form := range forms {
		if bytes.Contains(raw, form) {
			raw, found = bytes.ReplaceAll(raw, form, []byte(redacted)), true
		}
	}
	return raw, found
}

// log returns a log of the server for a person: without its secrets, however the
// server has written them, without what looks like others, which it may have
// from elsewhere, and without what is hidden.
func (r *redactor) log(text string) string {
	masked, _ := r.mask(json.RawMessage(shown(r, text)))
	return secrets.HideIn(string(masked))
}

// writtenForms returns a text as encoders of JSON write it between quotes: with
// as few escapes as may be, with those for HTML, for ASCII and for slashes.
func writtenForms(text string) [][]byte {
	var plain bytes.Buffer
	encoder := json.NewEncoder(&plain)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(text) != nil {
		return nil
	}
	least := strings.Trim(strings.TrimSpace(plain.String()), `"`)
	html := strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`).Replace(least)
	var ascii strings.Builder
	for _, c := range least {
		switch {
		case c > 0xffff:
			c -= 0x10000
			fmt.Fprintf(&ascii, `\u%04x\u%04x`, 0xd800+c>>10, 0xdc00+c&0x3ff)
		case c > 0x7e:
			fmt.Fprintf(&ascii, `\u%04x`, c)
		default:
			ascii.WriteRune(c)
		}
	}
	var forms [][]byte
	for _, form := range []string{least, html, ascii.String(), strings.ReplaceAll(least, "/", `\/`)} {
		if !slices.ContainsFunc(forms, func(known []byte) bool { return string(known) == form }) {
			forms = append(forms, []byte(form))
		}
	}
	return forms
}

// masked returns what the server has sent without the credentials that Winnow
// put into it, and tells the server's log.
func (c cleaner) masked(what string, raw json.RawMessage) json.RawMessage {
	if c.redact.unmasked != nil && c.redact.unmasked() {
		return raw
	}
	clean, found := c.redact.mask(raw)
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
