package config

import "testing"

func TestProblem_String(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]Problem{
		"f: m":         {Path: "f", Message: "m"},
		"f:2:3: m":     {Path: "f", Line: 2, Column: 3, Message: "m"},
		"f:2:3: m (h)": {Path: "f", Line: 2, Column: 3, Message: "m", Hint: "h"},
	} {
		if got := p.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
