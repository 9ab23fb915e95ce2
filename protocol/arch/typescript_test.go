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
var tsImport = regexp.MustCompile(`(?:\bfrom|\bimport|\bimport\(|\brequire\()\s*["']([^"']+)["']`)

// tsRooms are the packages that each folder of the extension may import,
// besides Node's own modules and its own files.
func tsRooms() map[string][]string {
	return map[string][]string{
		"src":     {"vscode", "vscode-jsonrpc"},
		"demo":    {"vscode-jsonrpc"},
		"scripts": {"esbuild"},
	}
}

// tsForbidden reports whether a file in one of the rooms may not import path.
func tsForbidden(allowed []string, path string) bool {
	if strings.HasPrefix(path, ".") || strings.HasPrefix(path, "node:") {
		return false
	}
	return !slices.ContainsFunc(allowed, func(name string) bool { return within(path, name) })
}

func TestTypeScriptImports(t *testing.T) {
	t.Parallel()
	found := 0
	for room, allowed := range tsRooms() {
		dir := filepath.Join(root, "extension", room)
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			for _, match := range tsImport.FindAllSubmatch(text, -1) {
				found++
				if tsForbidden(allowed, string(match[1])) {
					t.Errorf("%s imports %s; extension/%s imports its own files, node: and %s only",
						path, match[1], room, strings.Join(allowed, ", "))
				}
			}
			return err
		})
		if err != nil {
			t.Error(err)
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
