package proxy

import (
	"net/url"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/faces/proxy/wire"
)

// Endpoint is a provider that requests are forwarded to.
type Endpoint struct {
	// Name is the part of the path after `/to/`.
	Name string
	// URL is the provider's base address, to which the rest of the path is appended:
	// `https://api.openai.com/v1`.
	URL *url.URL
	// Format is the format of the endpoint. If empty, the path of each request decides.
	Format wire.Format
	// Include, Exclude and Forms adjust which tools count as MCP tools; see [Naming].
	Include, Exclude, Forms []string
	// Defer: unattached tools are not removed but marked for the provider's own search,
	// if the format has one.
	Defer bool
	// Prices are the user's; may be nil.
	Prices *Prices
	// File is the path of the file that defines the endpoint. NeedsConsent: it is a
	// workspace's, and the user has not approved the URL.
	File         string
	NeedsConsent bool
}

// Providers returns the built-in endpoints by path prefix.
func Providers() map[string]Endpoint {
	return map[string]Endpoint{
		"/openai/v1/":     {Name: "openai", URL: known("https://api.openai.com/v1")},
		"/anthropic/":     {Name: "anthropic", URL: known("https://api.anthropic.com"), Format: wire.Messages},
		"/gemini/v1beta/": {Name: "gemini", URL: known("https://generativelanguage.googleapis.com/v1beta"), Format: wire.Gemini},
	}
}

// known parses an address written in this file.
func known(address string) *url.URL {
	u, err := url.Parse(address)
	if err != nil {
		panic(err)
	}
	return u
}

// operations are the path suffixes of requests to a model.
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

// asks reports whether a path is a request to a model of the endpoint, and its format.
// Other paths are forwarded unchanged.
func (e *Endpoint) asks(path string) (format wire.Format, ok bool) {
	for _, op := range operations {
		if strings.HasSuffix(path, op.end) && (e.Format == "" || e.Format == op.format) {
			return op.format, true
		}
	}
	return "", false
}
