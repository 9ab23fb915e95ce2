package upstream

import (
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/upstream/wire"
)

func containsWord(list, word string) bool {
	for _, w := range strings.Fields(list) {
		if w == word {
			return true
		}
	}
	return false
}

func TestReconcile(t *testing.T) {
	t.Parallel()
	a, b := Config{Name: "a", Command: "a"}, Config{Name: "b", Command: "b"}
	changed := Config{Name: "a", Command: "a", Timeout: time.Second}
	tests := map[string]struct {
		want []Config
		have []Config
		out  string
	}{
		"nothing":      {nil, nil, ""},
		"same":         {[]Config{a, b}, []Config{b, a}, ""},
		"first":        {[]Config{b, a}, nil, "add b, add a"},
		"last":         {nil, []Config{a}, "remove a"},
		"changed":      {[]Config{changed}, []Config{a}, "update a"},
		"all at once":  {[]Config{changed, {Name: "c", Command: "c"}}, []Config{a, b}, "remove b, update a, add c"},
		"spelt out":    {[]Config{{Name: "a", Command: "a", Transport: wire.Stdio, Args: []string{}, Timeout: wire.DefaultTimeout}}, []Config{a}, ""},
		"moved around": {[]Config{b, a}, []Config{a, b}, ""},
	}
	kinds := map[changeKind]string{addServer: "add", updateServer: "update", removeServer: "remove"}
	for name, test := range tests {
		have := map[string]Config{}
		for _, cfg := range test.have {
			have[cfg.Name] = cfg.WithDefaults()
		}
		changes, err := reconcile(test.want, have)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, c := range changes {
			out = append(out, kinds[c.kind]+" "+c.name)
		}
		if got := strings.Join(out, ", "); got != test.out {
			t.Errorf("%s: %q, want %q", name, got, test.out)
		}
	}
}
