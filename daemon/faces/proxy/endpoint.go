package proxy

import (
	"fmt"
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
	// Include and Exclude adjust which tools count as MCP's; see [Naming].
	Include, Exclude []string
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

// ParseEndpoint reads an endpoint of a configuration. The error says what is
// wrong with which part, and what would be right.
func ParseEndpoint(name, address, format string) (Endpoint, error) {
	if name == "" || strings.ContainsAny(name, "/?#") {
		return Endpoint{}, fmt.Errorf("endpoint %q: a name without / ? # is needed, since it stands in the path /to/NAME/", name)
	}
	u, err := url.Parse(address)
	if err != nil {
		return Endpoint{}, fmt.Errorf("endpoint %q: url: %w", name, err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return Endpoint{}, fmt.Errorf("endpoint %q: url is %q; it has to begin with http:// or https:// and a host", name, address)
	}
	if u.User != nil {
		return Endpoint{}, fmt.Errorf("endpoint %q: url holds a password; the client sends the key", name)
	}
	f := wire.Format(format)
	switch f {
	case "", wire.Chat, wire.Responses, wire.Messages, wire.Gemini:
	default:
		return Endpoint{}, fmt.Errorf("endpoint %q: wire is %q; it is one of chat, responses, messages, gemini", name, format)
	}
	return Endpoint{Name: name, URL: u, Format: f}, nil
}

// operations are the ends of paths at which models are asked.
var operations = []struct {
	end    string
	format wire.Format
	stream bool // the address asks for a stream
}{
	{"/chat/completions", wire.Chat, false},
	{"/responses", wire.Responses, false},
	{"/messages", wire.Messages, false},
	{":generateContent", wire.Gemini, false},
	{":streamGenerateContent", wire.Gemini, true},
}

// asks reports whether a path asks a model of the endpoint, and in which
// format. Any other path passes untouched.
func (e *Endpoint) asks(path string) (format wire.Format, stream, ok bool) {
	for _, op := range operations {
		if strings.HasSuffix(path, op.end) && (e.Format == "" || e.Format == op.format) {
			return op.format, op.stream, true
		}
	}
	return "", false, false
}
