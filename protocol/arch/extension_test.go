package arch

import (
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// extensionArrows lists, for each folder of extension/src, the other folders
// of the extension that it may import, types included. As daemonArrows, it is
// the drawing in .github/ARCHITECTURE.md in full.
func extensionArrows() map[string][]string {
	return map[string][]string{
		// extension.ts: the wiring of one window.
		"src": {
			"api", "src/api", "src/daemon", "src/host", "src/models", "src/participant", "src/protocol", "src/servers",
			"src/views", "src/views/completion", "src/views/context", "src/views/journal", "src/views/lock",
			"src/views/servers", "src/views/status", "src/views/tasks", "src/views/why", "src/window",
		},

		// The views, each one's own folder, and what they share.
		"src/views/completion":      {"src/base", "src/jsonc", "src/views", "src/window"},
		"src/views/context":         {"src/base", "src/protocol", "src/servers", "src/views", "src/views/tasks", "src/window"},
		"src/views/context/webview": {"src/protocol", "src/views"},
		"src/views/journal":         {"src/protocol", "src/window"},
		"src/views/lock":            {"src/base", "src/protocol", "src/views", "src/views/servers", "src/window"},
		"src/views/servers":         {"src/base", "src/daemon", "src/protocol", "src/views", "src/window"},
		"src/views/status":          {"src/base", "src/models", "src/protocol", "src/views", "src/window"},
		"src/views/tasks":           {"src/base", "src/daemon", "src/protocol", "src/views", "src/window"},
		"src/views/why":             {"src/protocol", "src/views", "src/views/tasks", "src/window"},
		"src/views":                 {"src/base", "src/daemon", "src/protocol", "src/window"},

		// What else the user and other extensions meet.
		"src/participant": {"src/base", "src/chat", "src/daemon", "src/models", "src/protocol", "src/routing", "src/window"},
		"src/servers":     {"src/base", "src/daemon", "src/models", "src/protocol", "src/window"},
		"src/models":      {"src/base", "src/chat", "src/daemon", "src/jsonc", "src/protocol", "src/routing", "src/window"},
		"src/routing":     {"src/base", "src/chat", "src/daemon", "src/protocol", "src/window"},
		"src/chat":        {"src/protocol"},
		"src/host":        {"src/base", "src/daemon", "src/protocol", "src/window"},
		"src/api":         {"api", "src/daemon", "src/protocol"},

		// What they all use.
		"src/window":   {"src/base", "src/daemon", "src/protocol"},
		"src/daemon":   {"src/base", "src/protocol"},
		"src/base":     {},
		"src/jsonc":    {},
		"src/protocol": {},
	}
}

// sourceImports returns, for each file of the extension that is no test, the
// files of the extension that it imports, all without their endings.
func sourceImports(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for file, imports := range tsImports(t) {
		name := tsSource.ReplaceAllString(file, "")
		if strings.HasSuffix(name, ".test") {
			continue
		}
		found[name] = []string{}
		for _, imported := range imports {
			if strings.HasPrefix(imported, ".") {
				found[name] = append(found[name], path.Join(path.Dir(name), tsSource.ReplaceAllString(imported, "")))
			}
		}
	}
	return found
}

// foldersOf makes arrows between folders of arrows between files: those of
// extension/src, where each folder has a place.
func foldersOf(files map[string][]string) map[string][]string {
	folders := map[string][]string{}
	for file, imports := range files {
		from := path.Dir(file)
		if !within(from, "src") {
			continue
		}
		if folders[from] == nil {
			folders[from] = []string{}
		}
		for _, imported := range imports {
			if to := path.Dir(imported); to != from && !slices.Contains(folders[from], to) {
				folders[from] = append(folders[from], to)
			}
		}
	}
	return folders
}

// circle returns a way along the arrows that ends where it began, as in a, b,
// a; nil where there is none.
func circle(arrows map[string][]string) []string {
	done := map[string]bool{}
	var way []string
	var walk func(at string) []string
	walk = func(at string) []string {
		if i := slices.Index(way, at); i >= 0 {
			return append(slices.Clone(way[i:]), at)
		}
		if done[at] {
			return nil
		}
		way = append(way, at)
		for _, next := range arrows[at] {
			if found := walk(next); found != nil {
				return found
			}
		}
		way = way[:len(way)-1]
		done[at] = true
		return nil
	}
	for _, start := range slices.Sorted(maps.Keys(arrows)) {
		if found := walk(start); found != nil {
			return found
		}
	}
	return nil
}

// TestExtensionArrows: between the extension's folders every arrow is drawn,
// and every drawn arrow is there. As between Go's packages, none leads back:
// neither from a folder nor from a file.
func TestExtensionArrows(t *testing.T) {
	t.Parallel()
	files := sourceImports(t)
	folders := foldersOf(files)
	checkArrows(t, "extensionArrows", folders, extensionArrows())
	if back := circle(folders); back != nil {
		t.Errorf("folders of the extension import each other: %s", strings.Join(back, " > "))
	}
	if back := circle(files); back != nil {
		t.Errorf("files of the extension import each other: %s", strings.Join(back, " > "))
	}
}

func TestCircle(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		arrows map[string][]string
		want   []string
	}{
		{"none", nil, nil},
		{"two ways to one", map[string][]string{"a": {"b", "c"}, "b": {"d"}, "c": {"d"}}, nil},
		{"itself", map[string][]string{"a": {"a"}}, []string{"a", "a"}},
		{"behind a way in", map[string][]string{"a": {"x", "b"}, "b": {"c"}, "c": {"d"}, "d": {"b"}}, []string{"b", "c", "d", "b"}},
	} {
		if got := circle(tc.arrows); !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.name, got, tc.want)
		}
	}
}

func TestFoldersOf(t *testing.T) {
	t.Parallel()
	files := map[string][]string{"src/a/x": {"src/a/y", "src/b/z"}, "src/a/y": {"src/b/z"}, "src/b/z": nil, "demo/main": {"src/b/z"}}
	got := foldersOf(files)
	if len(got) != 2 || !slices.Equal(got["src/a"], []string{"src/b"}) || len(got["src/b"]) != 0 {
		t.Errorf("got %v, want src/a to src/b, and src/b to none", got)
	}
}
