package wire

import (
	"net/http"
	"testing"
)

// TestNetwork_HTTPTransport: others of the daemon get a transport with the
// same settings, before the environment's.
func TestNetwork_HTTPTransport(t *testing.T) {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy"} {
		t.Setenv(name, "http://environment:1")
	}
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		t.Setenv(name, "near")
	}
	tests := []struct {
		name    string
		network Network
		want    map[string]string // the proxy of each address; "" is none
	}{
		{"the environment's", Network{}, map[string]string{"https://far/": "http://environment:1", "https://near/": ""}},
		{"the host's", Network{ProxyURL: "http://proxy:1", NoProxy: "direct"}, map[string]string{
			"https://far/": "http://proxy:1", "https://near/": "http://proxy:1", "https://direct/": "",
		}},
		{"none", Network{NoProxy: "*"}, map[string]string{"https://far/": ""}},
	}
	for _, test := range tests {
		tr, err := test.network.HTTPTransport()
		if err != nil {
			t.Fatal(err)
		}
		for address, want := range test.want {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
			if err != nil {
				t.Fatal(err)
			}
			u, err := tr.Proxy(r)
			if err != nil || (u == nil) != (want == "") || (u != nil && u.String() != want) {
				t.Errorf("%s: %s goes through %v (%v), want %q", test.name, address, u, err, want)
			}
		}
	}
	if _, err := (Network{ExtraCAs: []byte("text")}).HTTPTransport(); err == nil {
		t.Error("text was taken for a certificate")
	}
}
