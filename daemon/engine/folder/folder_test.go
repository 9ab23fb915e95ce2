package folder

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// write makes files of a folder, by their names.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// said writes down what a folder speaks for.
func said(f *Folder) string {
	var out []string
	for _, family := range f.Families() {
		out = append(out, family.Name+": "+family.Evidence)
	}
	return strings.Join(out, "; ")
}

// A folder speaks by names of files, of dependencies and of its remote's host, also
// one level down; never by what others have written, by credentials or by texts.
func TestFolder(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files map[string]string
		want  string
	}{
		"empty":      {nil, ""},
		"file":       {map[string]string{"Chart.yaml": "stripe"}, "helm: this folder has Chart.yaml; kubernetes: this folder has Chart.yaml"},
		"one down":   {map[string]string{"api/package.json": `{"devDependencies":{"mongodb":"1"},"name":"redis"}`}, "mongodb: this folder's package.json has mongodb"},
		"folder":     {map[string]string{".circleci/config.yml": ""}, "circleci: this folder has .circleci"},
		"kinds":      {map[string]string{"notes/a.PDF": "", "b.docx": ""}, "document: this folder has a.PDF; docx: this folder has b.docx; pdf: this folder has a.PDF; word: this folder has b.docx"},
		"others'":    {map[string]string{"node_modules/stripe/Chart.yaml": "", "a/b/Chart.yaml": ""}, ""},
		"not JSON":   {map[string]string{"package.json": `{"dependencies":{"mongodb"`}, ""},
		"go":         {map[string]string{"x/go.mod": "module x\n\nrequire (\n\tgo.mongodb.org/mongo-driver v1.2.3\n)\n"}, "gopls: this folder has go.mod; mongodb: this folder's go.mod has go.mongodb.org/mongo-driver"},
		"pyproject":  {map[string]string{"pyproject.toml": "[project]\ndependencies = [\n  \"pymongo[srv]>=4\",\n  \"redis\",\n]\n"}, "mongodb: this folder's pyproject.toml has pymongo; redis: this folder's pyproject.toml has redis"},
		"python":     {map[string]string{"requirements.txt": "# stripe\nslack-sdk==3\n"}, "slack: this folder's requirements.txt has slack-sdk"},
		"ssh remote": {map[string]string{".git/config": "[remote \"o\"]\n\turl = git@gitlab.example.org:me/secret.git\n"}, "gitlab: this folder's git remote is at gitlab.example.org"},
		"remote":     {map[string]string{".git/config": "[remote \"o\"]\n\turl = https://me:token@bitbucket.org/a/b\n"}, "bitbucket: this folder's git remote is at bitbucket.org"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, test.files)
			f := New(Options{Roots: func() []string { return []string{dir} }, On: func() bool { return true }, Now: time.Now})
			f.Look(context.Background())
			if got := said(f); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// What changes in the folder counts some seconds later; nothing counts once the
// folder is none of the trusted ones, or the setting is off.
func TestFolder_follows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{"Chart.yaml": ""})
	roots, on, now := []string{dir}, true, time.Unix(0, 0)
	f := New(Options{Roots: func() []string { return roots }, On: func() bool { return on }, Now: func() time.Time { return now }})
	ctx, end := context.WithCancel(context.Background())
	f.Look(ctx)
	if said(f) == "" || len(f.wake) != 0 {
		t.Fatalf("the folder says %q, and is to be looked at again: %v", said(f), len(f.wake) == 1)
	}
	write(t, dir, map[string]string{"main.tf": "", "netlify.toml": ""})
	now = now.Add(staleAfter + 1)
	if f.Families(); len(f.wake) != 1 {
		t.Error("an old look is not done again")
	}
	done := make(chan struct{})
	go func() { f.Run(ctx); close(done) }()
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(said(f), "netlify"); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the folder says %q", said(f))
		}
	}
	end()
	<-done
	on = false
	if got := said(f); got != "" {
		t.Errorf("with the setting off the folder says %q", got)
	}
	on, roots = true, nil
	if got := said(f); got != "" {
		t.Errorf("without trust the folder says %q", got)
	}
}
