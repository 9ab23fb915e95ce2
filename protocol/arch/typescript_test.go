package arch

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tsImport finds what a TypeScript or JavaScript file imports, in any form.
var tsImport = regexp.MustCompile(`(?:\bfrom|\bimport|\bimport\(|\brequire\()\s*["']([^"'\s,]+)["']`)

// tsSource matches the names of files in those languages.
var tsSource = regexp.MustCompile(`\.[cm]?[jt]s$`)

// tsRooms are the packages that each folder of the extension may import,
// besides Node's own modules and its own files. The innermost folder counts.
func tsRooms() map[string][]string {
	return map[string][]string{
		"src":                       {"vscode", "vscode-jsonrpc"},
		"src/jsonc":                 {"jsonc-parser"},
		"src/views/context/webview": {"lit", "@vscode-elements/elements"},
		"demo":                      {"vscode-jsonrpc"},
		"scripts":                   {"esbuild", "yauzl"},
		"test/servers":              {"@modelcontextprotocol/sdk"},
		"test":                      {"vscode", "vscode-jsonrpc", "mocha", "playwright-core", "axe-core"},
	}
}

// tsRoom returns the innermost room of a file, from the extension's folder.
func tsRoom(file string) (room string, ok bool) {
	for name := range tsRooms() {
		if strings.HasPrefix(file, name+"/") && len(name) > len(room) {
			room, ok = name, true
		}
	}
	return room, ok
}

// tsForbidden reports whether a file in one of the rooms may not import path.
func tsForbidden(allowed []string, path string) bool {
	if strings.HasPrefix(path, ".") || strings.HasPrefix(path, "node:") {
		return false
	}
	return !slices.ContainsFunc(allowed, func(name string) bool { return within(path, name) })
}

// tsImports returns what each file in the extension's rooms imports, as it is
// written. Files go by their paths from the extension's folder.
func tsImports(t *testing.T) map[string][]string {
	t.Helper()
	imports := map[string][]string{}
	extension := filepath.Join(root, "extension")
	err := filepath.WalkDir(extension, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(extension, path)
		if err != nil {
			return err
		}
		file := filepath.ToSlash(rel)
		if _, ok := tsRoom(file); !ok || !tsSource.MatchString(path) {
			return nil
		}
		imports[file] = nil
		text, err := os.ReadFile(path)
		for _, match := range tsImport.FindAllSubmatch(text, -1) {
			imports[file] = append(imports[file], string(match[1]))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return imports
}

func TestTypeScriptImports(t *testing.T) {
	t.Parallel()
	found := 0
	for file, paths := range tsImports(t) {
		room, _ := tsRoom(file)
		for _, path := range paths {
			found++
			if allowed := tsRooms()[room]; tsForbidden(allowed, path) {
				t.Errorf("extension/%s imports %s; extension/%s imports its own files, node: and %s only",
					file, path, room, strings.Join(allowed, ", "))
			}
		}
	}
	if found < 10 {
		t.Errorf("found %d imports; the walk misses the extension", found)
	}
}

func TestTSForbidden(t *testing.T) {
	t.Parallel()
	text := `import fs from "node:fs"; import type { A } from './a';
		export * from "left-pad"; import "side/effect"; await import("vscode-jsonrpc/node"); require('path')`
	var forbidden []string
	for _, match := range tsImport.FindAllStringSubmatch(text, -1) {
		if tsForbidden([]string{"vscode-jsonrpc"}, match[1]) {
			forbidden = append(forbidden, match[1])
		}
	}
	if want := []string{"left-pad", "side/effect", "path"}; !slices.Equal(forbidden, want) {
		t.Errorf("got %v, want %v", forbidden, want)
	}
}
