package upstream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/upstream/wire"
)

func sampleManifest() *manifest {
	return &manifest{
		Era: wire.EraModern, OAuth: true, Info: Info{Name: "n", Version: "1"}, Instructions: "Line one.\nLine two.",
		Capabilities: json.RawMessage(`{ "tools":{} }`),
		Tools: []Tool{
			{Name: "a", Raw: json.RawMessage("{ \"name\":\"a\",\n\t\"x\":1.0 }")},
			{Name: "b<", Raw: json.RawMessage(`{"name":"b\u003c","y":"<&>` + "\xff" + `"}`)},
		},
	}
}

// TestManifests_RoundTrip: every byte comes back.
func TestManifests_RoundTrip(t *testing.T) {
	t.Parallel()
	m := openManifests(filepath.Join(t.TempDir(), "not", "there"), slog.New(slog.DiscardHandler))
	if got := m.load("h"); got != nil {
		t.Errorf("an empty cache has %+v", got)
	}
	want := sampleManifest()
	m.save("h", want)
	if got := m.load("h"); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if m.load("other") != nil {
		t.Error("another configuration has the same manifest")
	}
	m.save("empty", &manifest{})
	if got := m.load("empty"); got == nil || len(got.Tools) != 0 {
		t.Errorf("a server without tools is kept as %+v", got)
	}
	info, err := os.Stat(m.kept.(folderManifests).Path("h"))
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("file mode %v (%v)", info.Mode(), err)
	}
}

// TestManifests_Damage: what is cut or was never a manifest counts as
// none, and is written anew.
func TestManifests_Damage(t *testing.T) {
	t.Parallel()
	good, err := encodeManifest(sampleManifest())
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string][]byte{
		"empty":    nil,
		"cut":      good[:len(good)-5],
		"longer":   append(bytes.Clone(good), 'x'),
		"no body":  good[:bytes.IndexByte(good, '\n')],
		"text":     []byte("hello\nworld"),
		"sizes":    bytes.Replace(good, []byte(`"size":`), []byte(`"size":1`), 1),
		"negative": bytes.Replace(good, []byte(`"size":`), []byte(`"size":-`), 1),
	}
	for name, data := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := openManifests(t.TempDir(), slog.New(slog.DiscardHandler))
			if err := m.kept.Write("h", data); err != nil {
				t.Fatal(err)
			}
			if got := m.load("h"); got != nil {
				t.Errorf("loaded %+v", got)
			}
			m.save("h", sampleManifest())
			if m.load("h") == nil {
				t.Error("it was not replaced")
			}
		})
	}
}

// TestManifests_Prune removes what nobody has used for long.
func TestManifests_Prune(t *testing.T) {
	t.Parallel()
	m := openManifests(t.TempDir(), slog.New(slog.DiscardHandler))
	for name, age := range map[string]time.Duration{"new": 0, "used": manifestMaxAge * 3 / 4, "old": manifestMaxAge + time.Hour} {
		m.save(name, sampleManifest())
		when := time.Now().Add(-age)
		if err := os.Chtimes(m.kept.(folderManifests).Path(name), when, when); err != nil {
			t.Fatal(err)
		}
	}
	if m.load("used") == nil {
		t.Fatal("not loaded")
	}
	m.prune()
	for name, want := range map[string]bool{"new": true, "used": true, "old": false} {
		if _, err := os.Stat(m.kept.(folderManifests).Path(name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestManifests_NoSecrets: nothing of a configuration is in the file.
func TestManifests_NoSecrets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cfg := fakeServer()
	cfg.Args, cfg.Env = []string{"--key=arg-secret"}, map[string]string{"TOKEN": "env-secret"}
	cfg.Cwd = "/cwd-secret"
	inBubble(t, &fakeDialer{}, Options{StorageDir: dir}, func(t *testing.T, m *Manager) {
		apply(t, m, cfg)
		expectState(t, m, Ready)
	})
	files, err := filepath.Glob(filepath.Join(dir, "manifests", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %q (%v)", files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil || strings.Contains(string(data), "secret") || strings.Contains(files[0], "secret") {
		t.Errorf("%s holds (%v):\n%s", files[0], err, data)
	}
}

// TestManifests_Unwritable: a cache that cannot be written costs nothing but
// itself.
func TestManifests_Unwritable(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	m := openManifests(filepath.Join(file, "sub"), slog.New(slog.NewTextHandler(&out, nil)))
	m.save("h", sampleManifest())
	if m.load("h") != nil || !strings.Contains(out.String(), "cannot write") {
		t.Errorf("log %q", out.String())
	}
}

// BenchmarkApply measures the time from nothing to a snapshot with the tools
// of 300 known servers of 30 tools each.
func BenchmarkApply(b *testing.B) {
	dir := b.TempDir()
	cache := openManifests(filepath.Join(dir, "manifests"), slog.New(slog.DiscardHandler))
	var configs []Config
	for i := range 300 {
		cfg := Config{Name: fmt.Sprintf("s%d", i), Command: "x", Args: []string{fmt.Sprint(i)}, Lazy: true}
		value := &manifest{Era: wire.EraLegacy}
		for j := range 30 {
			raw := fmt.Sprintf(`{"name":"tool_%d","description":%q,"inputSchema":{"type":"object"}}`, j, strings.Repeat("word ", 200))
			value.Tools = append(value.Tools, Tool{Name: fmt.Sprintf("tool_%d", j), Raw: json.RawMessage(raw)})
		}
		cache.save(cfg.Hash(), value)
		configs = append(configs, cfg)
	}
	for b.Loop() {
		m := NewManager(Options{StorageDir: dir})
		if err := m.Apply(b.Context(), configs); err != nil {
			b.Fatal(err)
		}
		if n := len(m.Snapshot().Servers); n != 300 {
			b.Fatalf("%d servers", n)
		}
		b.StopTimer()
		if err := m.Close(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
