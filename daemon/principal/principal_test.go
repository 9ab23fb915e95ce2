package principal

import "testing"

// Whatever an authorization server or a client chooses as a name, two keys are
// equal only where all parts are.
func TestPrincipal_Key(t *testing.T) {
	t.Parallel()
	seen := map[string]Principal{}
	for _, p := range []Principal{{}, Local, {"", ""}, {"https://a", "b"}, {"https://a b", ""}, {"", "https://a b"}, {`https://a" "b`, ""}, {"https://a", "b\x00c"}} {
		for _, name := range []string{"", "c", "b c", `" "c`, "\x00"} {
			key := p.Key(name) + " end"
			if other, ok := seen[key]; ok && other != p {
				t.Errorf("%+v and %+v have the key %s", p, other, key)
			}
			seen[key] = p
		}
	}
	if len(seen) != 7*5 {
		t.Errorf("%d keys, want 35", len(seen))
	}
}
