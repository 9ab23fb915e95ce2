package wire

import (
	"context"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
)

// TestSignIn_Preconditions: what is missing is said before the user is sent
// anywhere.
func TestSignIn_Preconditions(t *testing.T) {
	t.Parallel()
	open := func(context.Context, string) error { t.Error("the browser was opened"); return nil }
	tests := map[string]struct {
		hooks Hooks
		cfg   Config
		want  string
	}{
		"no browser":    {Hooks{}, Config{URL: "http://127.0.0.1:1/"}, "cannot open a browser"},
		"no server":     {Hooks{OpenExternal: open}, Config{URL: "http://127.0.0.1:1/"}, "find the authorization server"},
		"no address":    {Hooks{OpenExternal: open}, Config{URL: "http://[::1"}, "url"},
		"input refused": {Hooks{OpenExternal: open}, Config{URL: "http://h/${input:x}"}, `input "x"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &Dialer{Hooks: test.hooks}
			err := d.SignIn(t.Context(), Attempt{Config: test.cfg.WithDefaults(), Redact: &clean.Redactor{}}, nil)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

func TestHasAuthorization(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"Authorization": true, "authorization": true, "X-Authorization": false} {
		if hasAuthorization(map[string]string{name: "x"}) != want {
			t.Errorf("%s: %t", name, !want)
		}
	}
}
