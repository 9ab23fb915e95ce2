package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// At the first start npx installs the server's package and what that needs, here from a
// registry of what node_modules has. Which server is waited for is said, and the command
// succeeds.
func TestCall_emptyCacheOfNPX(t *testing.T) {
	t.Parallel()
	npx, err := exec.LookPath("npx")
	if err != nil {
		configtest.Missing(t, "npx is not installed: %v", err)
	}
	registry := &npmRegistry{packages: map[string]map[string]string{}}
	registry.add(t, configtest.NodeModules(t))
	server := httptest.NewServer(registry)
	t.Cleanup(server.Close)
	home := t.TempDir()
	folder := configtest.WorkspaceWith(t, configtest.Servers{"memory": {
		Command: npx, Args: []string{"-y", "@modelcontextprotocol/server-memory"},
		Env: map[string]protocol.EnvValue{
			"HOME": protocol.EnvValue(home), "npm_config_cache": protocol.EnvValue(filepath.Join(home, "npm")),
			"npm_config_registry": protocol.EnvValue(server.URL), "npm_config_audit": "false",
			"MEMORY_FILE_PATH": protocol.EnvValue(filepath.Join(home, "memory.jsonl")),
		},
	}}, nil)
	c := winnowd(t, "call", "memory/read_graph", "-yes", "-trust", "-workspace", folder, "-timeout", "5m")
	said := bytes.Buffer{}
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &said)
	}
	if want := `{"entities":[],"relations":[]}`; strings.TrimSpace(string(out)) != want {
		t.Errorf("got %s, want %s", out, want)
	}
	for _, want := range []string{"memory is starting …\n", "memory is ready after "} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("said %s; want %q", &said, want)
		}
	}
}

// npmRegistry serves packages of a folder as npm's registry does.
type npmRegistry struct {
	// packages has the folder of each version by name.
	packages map[string]map[string]string
}

// add takes in the packages of a folder node_modules, and those within them.
func (r *npmRegistry) add(t *testing.T, dir string) {
	t.Helper()
	manifests, err := filepath.Glob(filepath.Join(dir, "*", "package.json"))
	scoped, errScoped := filepath.Glob(filepath.Join(dir, "@*", "*", "package.json"))
	if err != nil || errScoped != nil {
		t.Fatal(err, errScoped)
	}
	for _, file := range append(manifests, scoped...) {
		var manifest struct{ Name, Version string }
		raw, err := os.ReadFile(file)
		if err != nil || json.Unmarshal(raw, &manifest) != nil {
			continue
		}
		if r.packages[manifest.Name] == nil {
			r.packages[manifest.Name] = map[string]string{}
		}
		r.packages[manifest.Name][manifest.Version] = filepath.Dir(file)
		r.add(t, filepath.Join(filepath.Dir(file), "node_modules"))
	}
}

// ServeHTTP answers /NAME with a package's versions, and /NAME/-/VERSION with one.
func (r *npmRegistry) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	name, version, packed := strings.Cut(strings.TrimPrefix(request.URL.Path, "/"), "/-/")
	versions, ok := r.packages[name]
	switch {
	case !ok:
		http.NotFound(w, request)
	case packed:
		if err := pack(w, versions[version]); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	default:
		all, latest := map[string]map[string]any{}, ""
		for version, dir := range versions {
			manifest := map[string]any{}
			raw, err := os.ReadFile(filepath.Join(dir, "package.json"))
			if err != nil || json.Unmarshal(raw, &manifest) != nil {
				continue
			}
			manifest["dist"] = map[string]string{"tarball": "http://" + request.Host + request.URL.Path + "/-/" + version}
			all[version], latest = manifest, max(latest, version)
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"name": name, "versions": all, "dist-tags": map[string]string{"latest": latest}})
	}
}

// pack writes a package's folder as npm packs it, without the packages within.
func pack(w io.Writer, dir string) error {
	zipped := gzip.NewWriter(w)
	archive := tar.NewWriter(zipped)
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "node_modules":
			return fs.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		header := &tar.Header{Name: "package/" + filepath.ToSlash(below), Mode: 0o755, Size: int64(len(text))}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		_, err = archive.Write(text)
		return err
	})
	return errors.Join(err, archive.Close(), zipped.Close())
}
