package config

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the `want` sections of testdata")

// dumper writes values as the `want` sections have them: only what is set, one
// thing a line.
type dumper struct{ strings.Builder }

func (d *dumper) line(format string, args ...any) { fmt.Fprintf(d, format+"\n", args...) }

func (d *dumper) field(name string, value any, set bool) {
	if set {
		d.line("  %s %v", name, value)
	}
}

func (d *dumper) file(f File) {
	if f.Broken {
		d.line("broken")
	}
	for _, e := range f.Entries {
		d.line("entry %q at %d:%d", e.Name, e.Origin.Line, e.Origin.Column)
		d.definition(e.Definition)
		d.policy(e.Policy)
		d.field("invalid:", e.Invalid, e.Invalid != nil)
	}
	for _, m := range f.Modes {
		d.mode(m)
	}
	for _, in := range f.Inputs {
		d.line("input %q pick=%t password=%t description=%q default=%q options=%q", in.ID, in.Pick, in.Password, in.Description, in.Default, in.Options)
	}
	d.problems(f.Problems)
}

func (d *dumper) definition(v Definition) {
	d.field("transport", v.Transport, v.Transport != "")
	d.field("command", fmt.Sprintf("%q %q", v.Command, v.Args), v.Command != "")
	d.field("cwd", v.Cwd, v.Cwd != "")
	d.field("env", v.Env, len(v.Env) > 0)
	d.field("unsetEnv", v.UnsetEnv, len(v.UnsetEnv) > 0)
	d.field("envFile", v.EnvFile, v.EnvFile != "")
	d.field("url", v.URL, v.URL != "")
	d.field("headers", v.Headers, len(v.Headers) > 0)
	d.field("oauth", fmt.Sprintf("%+v", v.OAuth), v.OAuth.ClientID != "")
}

func (d *dumper) policy(p Policy) {
	if p.Disabled != nil {
		d.line("  disabled %t", *p.Disabled)
	}
	d.field("timeout", p.Timeout, p.Timeout != 0)
	d.field("onlyAllow", fmt.Sprintf("%q", p.OnlyAllow), p.OnlyAllow != nil)
	d.field("disabledTools", fmt.Sprintf("%q", p.DisabledTools), p.DisabledTools != nil)
	for _, r := range p.Further {
		d.line("  and onlyAllow %q, disabledTools %q", r.OnlyAllow, r.DisabledTools)
	}
	d.field("descriptions", p.DescriptionOverrides, p.DescriptionOverrides != nil)
	if p.AlwaysLoad != nil {
		d.line("  alwaysLoad all=%t %q", p.AlwaysLoad.All, p.AlwaysLoad.Tools)
	}
	d.field("alwaysAllow", fmt.Sprintf("%q", p.AlwaysAllow), p.AlwaysAllow != nil)
}

func (d *dumper) mode(m Mode) {
	allowed := "all"
	if m.Allowed != nil {
		allowed = fmt.Sprintf("%q", *m.Allowed)
	}
	if m.NoTools {
		allowed = "no tools"
	}
	d.line("mode %q %q %q allowed=%s blocked=%q at %d:%d", m.Slug, m.Name, m.Description, allowed, m.Blocked, m.Origin.Line, m.Origin.Column)
}

func (d *dumper) problems(problems []Problem) {
	for _, p := range problems {
		d.line("%s %s", p.Severity, p)
	}
}

func (d *dumper) config(c Config, origin func(Origin) string) {
	for _, s := range c.Servers {
		d.line("server %q from %s", s.Name, origin(s.Origin))
		d.field("hold", s.Hold, s.Hold != "")
		d.field("invalid:", s.Invalid, s.Invalid != nil)
		d.definition(s.Definition)
		d.policy(s.Policy)
	}
	for _, s := range c.Shadowed {
		d.line("shadowed %q in %s by %s", s.Name, origin(s.Origin), origin(s.By))
	}
	for _, w := range c.Waiting {
		what := ""
		if w.Rules {
			what = ", rules"
		}
		d.line("waiting %q in %s for %s%s", w.Name, origin(w.Origin), w.Hold, what)
	}
	for _, s := range c.Policies {
		d.line("policy %q from %s", s.Name, origin(s.Origin))
		d.policy(s.Policy)
	}
	for _, m := range c.Modes {
		d.mode(m)
	}
	d.problems(c.Problems)
	d.problems(c.UnmatchedPolicies(nil))
}

// eachArchive runs a test on every archive of a folder. run returns what the
// `want` section should hold.
func eachArchive(t *testing.T, dir string, run func(t *testing.T, comment string, files map[string][]byte) string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", dir, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archives in testdata/%s: %v", dir, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files, want := sections(archive)
			got := run(t, string(archive.Comment), files)
			if *update {
				setWant(archive, got)
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != want {
				t.Errorf("got:\n%s\nwant:\n%s\n(go test ./daemon/config -update rewrites it)", got, want)
			}
		})
	}
}

// sections splits an archive into its files and what is wanted.
func sections(archive *txtar.Archive) (files map[string][]byte, want string) {
	files = map[string][]byte{}
	for _, f := range archive.Files {
		if f.Name == "want" {
			want = string(f.Data)
			continue
		}
		files[f.Name] = f.Data
	}
	return files, want
}

func setWant(archive *txtar.Archive, got string) {
	for i := range archive.Files {
		if archive.Files[i].Name == "want" {
			archive.Files[i].Data = []byte(got)
			return
		}
	}
	archive.Files = append(archive.Files, txtar.File{Name: "want", Data: []byte(got)})
}
