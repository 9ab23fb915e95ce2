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

// errOtherIssuer is returned instead of sending credentials to an authorization server
// that did not issue them.
var errOtherIssuer = errors.New("the server names another authorization server than the one that was signed in to")

// maxMetadataBytes bounds the metadata of an authorization server.
const maxMetadataBytes = 1 << 20

// authServer holds fields of an authorization server's metadata (RFC 8414) that mcp-go
// does not read.
type authServer struct {
	Issuer        string `json:"issuer"`
	TokenEndpoint string `json:"token_endpoint"`
	// ReadsDocuments: a client ID may be the URL of a metadata document.
	ReadsDocuments bool `json:"client_id_metadata_document_supported"`
	// NamesItself: the authorization response contains the issuer (RFC 9207).
	NamesItself bool `json:"authorization_response_iss_parameter_supported"`
}

// authServers is the http.RoundTripper under mcp-go's OAuth requests. It records the
// metadata in responses, and sends credentials to their issuer only.
type authServers struct {
	next http.RoundTripper
	// issuer is the only server that requests other than GET go to; empty means any.
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

// find returns the recorded metadata of an issuer, or the zero value.
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

// issuerOf returns the issuer of a token endpoint. Without metadata, mcp-go uses an
// endpoint on the resource's host.
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

// SameOrigin reports whether two URLs have the same scheme and host.
func SameOrigin(a, b *url.URL) bool {
	return strings.EqualFold(a.Scheme, b.Scheme) && strings.EqualFold(a.Host, b.Host)
}
