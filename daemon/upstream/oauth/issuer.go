package oauth

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// errOtherIssuer keeps credentials from an authorization server that has not
// issued them.
var errOtherIssuer = errors.New("the server names another authorization server than the one that was signed in to")

// maxMetadataBytes bounds the metadata of an authorization server.
const maxMetadataBytes = 1 << 20

// authServer is what matters here of an authorization server's metadata (RFC
// 8414), and is not read by mcp-go.
type authServer struct {
	Issuer        string `json:"issuer"`
	TokenEndpoint string `json:"token_endpoint"`
	// ReadsDocuments: a client ID may be the address of a metadata document.
	ReadsDocuments bool `json:"client_id_metadata_document_supported"`
	// NamesItself: the answer that the browser brings has the issuer (RFC 9207).
	NamesItself bool `json:"authorization_response_iss_parameter_supported"`
}

// authServers is the http.RoundTripper under mcp-go's OAuth requests. It reads
// the metadata that passes, and sends credentials to their issuer only.
type authServers struct {
	next http.RoundTripper
	// issuer is the only server that anything is sent to; empty is any.
	issuer string

	// mu guards seen.
	mu   sync.Mutex
	seen []authServer
}

// RoundTrip implements http.RoundTripper.
func (a *authServers) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet {
		if issuer := a.issuerOf(r.URL); a.issuer != "" && issuer != a.issuer {
			return nil, fmt.Errorf("%w: %s, not %s", errOtherIssuer, issuer, a.issuer)
		}
		return a.next.RoundTrip(r)
	}
	response, err := a.next.RoundTrip(r)
	if err != nil || response.StatusCode != http.StatusOK {
		return response, err
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxMetadataBytes))
	response.Body = struct {
		io.Reader
		io.Closer
	}{bytes.NewReader(text), response.Body}
	var server authServer
	if err == nil && json.Unmarshal(text, &server) == nil && server.Issuer != "" {
		a.mu.Lock()
		a.seen = append(a.seen, server)
		a.mu.Unlock()
	}
	return response, err
}

// find returns the metadata of an issuer; that of one without any is empty.
func (a *authServers) find(issuer string) authServer {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, server := range a.seen {
		if server.Issuer == issuer {
			return server
		}
	}
	return authServer{}
}

// issuerOf returns whose token endpoint an address is. Without metadata mcp-go
// takes an endpoint of the resource's own host.
func (a *authServers) issuerOf(endpoint *url.URL) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, server := range a.seen {
		if server.TokenEndpoint == endpoint.String() {
			return server.Issuer
		}
	}
	return endpoint.Scheme + "://" + endpoint.Host
}

// SameOrigin reports whether two addresses are of one server.
func SameOrigin(a, b *url.URL) bool {
	return strings.EqualFold(a.Scheme, b.Scheme) && strings.EqualFold(a.Host, b.Host)
}
