package proxy

import (
	"net/url"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/faces/proxy/wire"
)

// Endpoint is a provider that requests are forwarded to.
type Endpoint struct {
	// Name is the part of the path behind `/to/`.
	Name string
	// URL is the provider's base address, to which the rest of the path is
	// appended: `https://api.openai.com/v1`.
	URL *url.URL
	// Format is what the endpoint speaks; empty goes by each request's path.
	Format wire.Format
	// Include, Exclude and Forms adjust which tools count as MCP's; see [Naming].
	Include, Exclude, Forms []string
	// Defer: what is not attached is marked for the provider's own search, where
	// the format has one, and not left out.
	Defer bool
	// Prices are the user's; nil where there are none.
	Prices *Prices
	// File is the path of the file that names the endpoint; NeedsConsent: it is
	// a workspace's, and the user has not agreed to the URL.
	File         string
	NeedsConsent bool
}

// Providers are the endpoints that need no configuration, by the beginning of
// their paths.
func Providers() map[string]Endpoint {
	return map[string]Endpoint{
		"/openai/v1/":     {Name: "openai", URL: known("https://api.openai.com/v1")},
		"/anthropic/":     {Name: "anthropic", URL: known("https://api.anthropic.com"), Format: wire.Messages},
		"/gemini/v1beta/": {Name: "gemini", URL: known("https://generativelanguage.googleapis.com/v1beta"), Format: wire.Gemini},
	}
}

// known parses an address that is written in this file.
func known(address string) *url.URL {
	u, err := url.Parse(address)
	if err != nil {
		panic(err)
	}
	return u
}

// operations are the ends of paths at which models are asked.
var operations = []struct {
	end    string
	format wire.Format
}{
	{"/chat/completions", wire.Chat},
	{"/responses", wire.Responses},
	{"/messages", wire.Messages},
	{":generateContent", wire.Gemini},
	{":streamGenerateContent", wire.Gemini},
}

// asks reports whether a path asks a model of the endpoint, and in which
// format. Any other path passes untouched.
func (e *Endpoint) asks(path string) (format wire.Format, ok bool) {
	for _, op := range operations {
		if strings.HasSuffix(path, op.end) && (e.Format == "" || e.Format == op.format) {
			return op.format, true
		}
	}
	return "", false
}
