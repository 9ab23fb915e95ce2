package config

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// Endpoint is a provider of models to which requests are forwarded.
type Endpoint struct {
	Name   string
	Origin Origin
	// URL is the base address: http or https, with a host.
	URL *url.URL
	// Wire is empty if each request's path determines it.
	Wire protocol.EndpointWire
	// IncludeTools and ExcludeTools are patterns of names.
	IncludeTools, ExcludeTools []string
	// ToolNames are forms of the names of MCP tools, with {server} and {tool}.
	ToolNames []string
	// Prices are per million tokens; nil if there are none.
	Prices *EndpointPrices
	// DeferTools reports that tools are marked for the provider's own search.
	DeferTools bool
}

// EndpointPrices are a provider's prices per million tokens.
type EndpointPrices struct{ Input, CacheRead, CacheWrite, Output float64 }

// OfWorkspace reports whether a workspace's file defines the endpoint.
func (e *Endpoint) OfWorkspace() bool { return e.Origin.Source.Scope == Workspace }

// endpointKeys are the keys of an endpoint.
func endpointKeys() []string {
	return []string{"url", "wire", "includeTools", "excludeTools", "toolNames", "deferTools", "prices"}
}

// endpointWires are the providers' formats.
func endpointWires() []protocol.EndpointWire {
	return []protocol.EndpointWire{protocol.WireChat, protocol.WireResponses, protocol.WireMessages, protocol.WireGemini}
}

// endpoints decodes the endpoints of Winnow's own file. They receive a client's key, so
// users of this data must get the user's consent for those of a workspace's file, trusted
// or not.
func (d *decoder) endpoints(m member) []Endpoint {
	members, _ := d.object("endpoints", m.value)
	list := make([]Endpoint, 0, len(members))
	for _, m := range members {
		if e, ok := d.endpoint(m); ok {
			list = append(list, e)
		}
	}
	return list
}

func (d *decoder) endpoint(m member) (Endpoint, bool) {
	where := d.locate(m.at)
	e := endpointDecoder{d, Endpoint{Name: m.key, Origin: Origin{d.source, where.Line, where.Column}}}
	if m.key == "" || strings.ContainsAny(m.key, "/?#") {
		d.report(Error, m.at, fmt.Sprintf("%q is no name for an endpoint", m.key), "its name stands in the path /to/NAME/: leave / ? # out")
		return Endpoint{}, false
	}
	members, ok := d.object("endpoints", m.value)
	for _, field := range members {
		if !e.field(field) {
			ok = false
		}
	}
	if ok && e.endpoint.URL == nil {
		d.report(Error, m.at, fmt.Sprintf("endpoint %q has no url", m.key), `add "url", as in "http://127.0.0.1:11434/v1"`)
		ok = false
	}
	return e.endpoint, ok
}

// endpointDecoder decodes one entry of "endpoints".
type endpointDecoder struct {
	*decoder
	endpoint Endpoint
}

// endpointField decodes one field, and reports whether the endpoint is usable.
func (e *endpointDecoder) field(m member) (ok bool) {
	switch m.key {
	case "url":
		e.endpoint.URL, ok = e.baseURL(m)
	case "wire":
		var text string
		text, ok = e.text("endpoints.wire", m.value)
		e.endpoint.Wire = protocol.EndpointWire(text)
		if ok && !slices.Contains(endpointWires(), e.endpoint.Wire) {
			e.report(Error, m.value.at, fmt.Sprintf("%q is no format that Winnow knows", text), "use chat, responses, messages or gemini")
			ok = false
		}
	case "includeTools":
		e.endpoint.IncludeTools, ok = e.strings("endpoints.includeTools", m.value)
	case "excludeTools":
		e.endpoint.ExcludeTools, ok = e.strings("endpoints.excludeTools", m.value)
	case "toolNames":
		e.endpoint.ToolNames, ok = e.toolNames(m)
	case "prices":
		e.endpoint.Prices, ok = e.prices(m)
	case "deferTools":
		e.endpoint.DeferTools, ok = e.flag("endpoints.deferTools", m.value)
	default:
		e.unknown(m, endpointKeys())
		ok = true
	}
	return ok
}

// prices decodes prices; omitted ones are 0.
func (e *endpointDecoder) prices(m member) (*EndpointPrices, bool) {
	p := &EndpointPrices{}
	places := map[string]*float64{"input": &p.Input, "cacheRead": &p.CacheRead, "cacheWrite": &p.CacheWrite, "output": &p.Output}
	members, ok := e.object("endpoints.prices", m.value)
	for _, m := range members {
		place, known := places[m.key]
		if !known {
			e.unknown(m, slices.Sorted(maps.Keys(places)))
			continue
		}
		price, isNumber := e.number("endpoints.prices."+m.key, m.value)
		*place, ok = price, ok && isNumber
	}
	return p, ok
}

// toolNames decodes forms of names, each with the server's name and, at the end, the
// tool's.
func (e *endpointDecoder) toolNames(m member) ([]string, bool) {
	forms, ok := e.strings("endpoints.toolNames", m.value)
	for _, form := range forms {
		_, rest, found := strings.Cut(form, "{server}")
		if between, ends := strings.CutSuffix(rest, "{tool}"); !found || !ends || between == "" {
			e.report(Error, m.value.at, fmt.Sprintf("%q is no form of a tool's name", form),
				`write {server}, something that separates, and {tool} at the end, as in "mcp__{server}__{tool}"`)
			ok = false
		}
	}
	return forms, ok
}

// baseURL decodes the address of a provider.
func (e *endpointDecoder) baseURL(m member) (*url.URL, bool) {
	text, ok := e.text("endpoints.url", m.value)
	if !ok {
		return nil, false
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		e.report(Error, m.value.at, "this is no address of a provider", "begin with https:// or http:// and a host")
		return nil, false
	case u.User != nil:
		e.report(Error, m.value.at, "the address holds a user or a password", "leave it out: the client sends its key")
		return nil, false
	}
	return u, true
}
