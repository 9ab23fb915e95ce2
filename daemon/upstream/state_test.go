package upstream

import (
	"net/http"
	"testing"
)

func TestServerSnapshot_Available(t *testing.T) {
	t.Parallel()
	tests := map[State]map[string]bool{
		Ready: {"": true, "held": true}, Starting: {"": true, "held": true},
		Known: {"": true, "held": false}, Configured: {"": true, "held": false},
		Failed: {"": false}, SignedOut: {"": false}, Disabled: {"": false}, Stopped: {"": false},
	}
	for state, holds := range tests {
		for hold, want := range holds {
			s := ServerSnapshot{Hold: Hold{Kind: hold}, Status: Status{State: state}}
			if s.Available() != want {
				t.Errorf("%s, hold %q: %t", state, hold, !want)
			}
		}
	}
}

func TestSnapshot_Server(t *testing.T) {
	t.Parallel()
	s := &Snapshot{Servers: []ServerSnapshot{{Name: "a"}, {Name: "b"}}}
	if got, ok := s.Server("b"); !ok || got.Name != "b" {
		t.Errorf("found %+v", got)
	}
	if _, ok := s.Server("c"); ok {
		t.Error("found a server that is not there")
	}
}

// TestCanFollow: only a started server can be ready, signed out or failed.
func TestCanFollow(t *testing.T) {
	t.Parallel()
	all := []State{Configured, Known, Starting, Ready, SignedOut, Failed, Disabled, Stopped}
	allowed := map[State]string{
		Starting:  "configured known starting ready signedOut failed disabled stopped",
		Ready:     "starting ready",
		SignedOut: "starting signedOut",
		Failed:    "starting ready failed",
	}
	for _, to := range all {
		for _, from := range all {
			list, limited := allowed[to]
			want := !limited || containsWord(list, string(from))
			if got := canFollow(from, to); got != want {
				t.Errorf("%s to %s: %t", from, to, got)
			}
		}
	}
}

// TestErrors: each says which server and what went wrong; what can be done is not in the text, and added once by who shows it.
func TestErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		err  error
		want string
	}{
		{&UnknownServerError{Server: "s"}, `no MCP server is named "s"`},
		{&UnavailableError{Server: "s", State: Failed, Cause: errRefused, Next: "Wait."}, `MCP server "s" is not available (failed): connection refused`},
		{&UnavailableError{Server: "s", State: Stopped}, `MCP server "s" is not available (stopped)`},
		{&TimeoutError{Server: "s", What: `tool "t"`, Timeout: 60e9}, `MCP server "s": tool "t" did not finish within 1m0s`},
		{&RPCError{Server: "s", What: `tool "t"`, Code: -32602, Message: "bad"}, `MCP server "s": tool "t": bad (code -32602)`},
	}
	for _, test := range tests {
		if got := test.err.Error(); got != test.want {
			t.Errorf("%T says\n%s, want\n%s", test.err, got, test.want)
		}
	}
}

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
