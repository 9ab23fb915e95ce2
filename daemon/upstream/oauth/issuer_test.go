package oauth

import (
	"net/url"
	"testing"
)

// TestSameOrigin compares what makes an origin.
func TestSameOrigin(t *testing.T) {
	t.Parallel()
	base, err := url.Parse("https://Host:8443/a")
	if err != nil {
		t.Fatal(err)
	}
	for raw, want := range map[string]bool{
		"https://host:8443/b?c": true, "http://host:8443/": false, "https://host/": false, "https://other:8443": false,
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if SameOrigin(u, base) != want {
			t.Errorf("%s: %t", raw, !want)
		}
	}
}
