package lock

import (
	"strings"
	"testing"
)

func TestPackageOf(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"npx -y @scope/name@1.2.3 --port 3":                 "npm:@scope/name@1.2.3",
		"npx --package=mail@2 send":                         "npm:mail@2",
		"npx -p mail@2 send":                                "npm:mail@2",
		`C:\node\npx.cmd -y mail`:                           "npm:mail",
		"pnpm dlx mail":                                     "npm:mail",
		"pnpm install mail":                                 "",
		"uvx --from git+https://example.org/mail mail":      "pypi:git+https://example.org/mail",
		"uvx --with httpx mail==1.0":                        "pypi:mail==1.0",
		"docker run -i --rm -e TOKEN ghcr.io/x/y@sha256:00": "oci:ghcr.io/x/y@sha256:00",
		"docker ps":                                         "",
		"node server.js":                                    "",
		"npx -y":                                            "",
	} {
		words := strings.Fields(line)
		if got := PackageOf(words[0], words[1:]); got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}

func TestDefinitionHash(t *testing.T) {
	t.Parallel()
	a := DefinitionHash("node", []string{"a b"}, "")
	if b := DefinitionHash("node", []string{"a", "b"}, ""); a == b || a == "" {
		t.Errorf("got %q and %q for two definitions, want two hashes", a, b)
	}
}
