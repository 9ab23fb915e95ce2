package wire

import "testing"

func TestEraPlan(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		transport Transport
		known     Era
		silences  int
		want      string
	}{
		"new stdio":               {Stdio, EraUnknown, 0, "legacy modern"},
		"new http":                {HTTP, EraUnknown, 0, "legacy modern sse"},
		"new, silent":             {Stdio, EraUnknown, 1, "modern legacy"},
		"new, silent twice":       {Stdio, EraUnknown, 2, "legacy modern"},
		"sse":                     {SSE, EraModern, 1, "sse"},
		"known legacy":            {Stdio, EraLegacy, 0, "legacy modern"},
		"known legacy, silent":    {Stdio, EraLegacy, 1, "legacy modern"},
		"known legacy, silent x3": {Stdio, EraLegacy, 3, "modern legacy"},
		"known legacy, silent x4": {Stdio, EraLegacy, 4, "legacy modern"},
		"known modern":            {HTTP, EraModern, 0, "modern legacy sse"},
		"known modern, silent x3": {Stdio, EraModern, 3, "legacy modern"},
		"known sse":               {HTTP, EraSSE, 1, "sse legacy modern"},
	}
	for name, test := range tests {
		got := ""
		for _, era := range eraPlan(test.transport, test.known, test.silences) {
			got += " " + string(era)
		}
		if got != " "+test.want {
			t.Errorf("%s: plan%s, want %s", name, got, test.want)
		}
	}
}

func TestTryNextEra(t *testing.T) {
	t.Parallel()
	refused := &refusedError{err: errRefused}
	tests := map[string]struct {
		err  error
		next Era
		want bool
	}{
		"refused":                {refused, EraModern, true},
		"refused, not by status": {refused, EraSSE, false},
		"refused by status":      {&refusedError{err: errRefused, sse: true}, EraSSE, true},
		"silent":                 {&SilentError{Err: errRefused}, EraModern, false},
		"signed out":             {&SignInWanted{}, EraModern, false},
		"unreachable":            {errRefused, EraModern, false},
	}
	for name, test := range tests {
		if got := tryNextEra(test.err, test.next); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
