package upstream

import (
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
		{&UnavailableError{Server: "s", State: Failed, Cause: errRefused, Next: "Wait."}, `MCP server "s" is not available: connection refused`},
		{&UnavailableError{Server: "s", State: Stopped}, `MCP server "s" is stopped`},
		{&TimeoutError{Server: "s", What: `tool "t"`, Timeout: 60e9}, `MCP server "s": tool "t" did not finish within 1m0s`},
		{&RPCError{Server: "s", What: `tool "t"`, Code: -32602, Message: "bad"}, `MCP server "s": tool "t": bad (code -32602)`},
	}
	for _, test := range tests {
		if got := test.err.Error(); got != test.want {
			t.Errorf("%T says\n%s, want\n%s", test.err, got, test.want)
		}
	}
}
