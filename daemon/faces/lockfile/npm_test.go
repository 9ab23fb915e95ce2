package lockfile

import (
	"os"
	"path/filepath"
	"testing"
)

func TestNPM_installed(t *testing.T) {
	t.Parallel()
	n := npm{folder: t.TempDir(), home: t.TempDir(), environ: func(string) (string, bool) { return "", false }}
	write := func(dir, text string) {
		t.Helper()
		file := filepath.Join(dir, "node_modules", ".package-lock.json")
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(n.home, ".npm", "_npx", "0a"), `{"packages":{"node_modules/@a/mail":{"version":"1.2.3","integrity":"sha512-x"},"node_modules/notes":{"version":"9.0.0","integrity":"sha512-z"}}}`)
	write(n.folder, `{"packages":{"node_modules/notes":{"version":"2.0.0","integrity":"sha512-y"}}}`)
	for written, want := range map[string][2]string{
		"npm:@a/mail":       {"npm:@a/mail@1.2.3", "sha512-x"},
		"npm:@a/mail@^1":    {"npm:@a/mail@1.2.3", "sha512-x"},
		"npm:@a/mail@1.2.3": {"npm:@a/mail@1.2.3", "sha512-x"},
		"npm:@a/mail@2.0.0": {"npm:@a/mail@2.0.0", ""},
		"npm:notes":         {"npm:notes@2.0.0", "sha512-y"}, // the workspace's own comes first
		"npm:none":          {"npm:none", ""},
		"pypi:mail==1.0":    {"pypi:mail==1.0", ""},
		"":                  {"", ""},
	} {
		if pkg, integrity := n.installed(written); pkg != want[0] || integrity != want[1] {
			t.Errorf("%s: got %s and %s, want %v", written, pkg, integrity, want)
		}
	}
	write(n.folder, `{`)
	if pkg, _ := n.installed("npm:notes"); pkg != "npm:notes@9.0.0" {
		t.Errorf("got %s beside a damaged file, want the one of the cache", pkg)
	}
}
