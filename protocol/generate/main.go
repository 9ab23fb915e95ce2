package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/winnow-mcp/winnow/protocol"
)

// command is what brings the generated files up to date.
const command = "go generate ./protocol"

func main() {
	check := flag.Bool("check", false, "write nothing; fail when a file is out of date")
	flag.Parse()
	if err := doMain(!*check); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// doMain brings the generated files up to date, or with write false fails when
// one of them is not.
func doMain(write bool) error {
	root, err := findRoot()
	if err != nil {
		return err
	}
	outputs, err := generate(root)
	if err != nil {
		return err
	}
	var stale []error
	for _, out := range outputs {
		path := filepath.Join(root, filepath.FromSlash(out.path))
		switch {
		case bytes.Equal(out.old, out.content):
		case !write:
			stale = append(stale, fmt.Errorf("%s is out of date; run: %s", out.path, command))
		default:
			if err := writeFile(path, out.content); err != nil {
				return err
			}
		}
	}
	return errors.Join(stale...)
}

// output is one generated file: what it holds and what it should hold.
type output struct {
	path         string // from the root, with slashes
	old, content []byte
}

// generate computes every output for the checkout at root.
func generate(root string) ([]output, error) {
	pkg, err := readPackage(os.DirFS(filepath.Join(root, "protocol")))
	if err != nil {
		return nil, err
	}
	methods := protocol.Methods()
	wire, winnowFile, err := reachAll(pkg, methods)
	if err != nil {
		return nil, err
	}
	names, err := methodNames(pkg, methods)
	if err != nil {
		return nil, err
	}
	settings, err := listSettings(pkg, protocol.DefaultSettings())
	if err != nil {
		return nil, err
	}
	var outputs []output
	for _, file := range []struct {
		path   string
		render func(old []byte) ([]byte, error)
	}{
		{"extension/src/protocol/protocol.gen.ts", func([]byte) ([]byte, error) { return typeScript(wire, methods, names), nil }},
		{"extension/schemas/winnow.schema.json", func([]byte) ([]byte, error) { return jsonSchema(winnowFile) }},
		{"package.json", func(old []byte) ([]byte, error) { return spliceManifest(old, settings) }},
		{"extension/docs/settings.md", func(old []byte) ([]byte, error) {
			return spliceTable(old, "settings", settingsTable(settings))
		}},
		{"extension/docs/files.md", func(old []byte) ([]byte, error) {
			table, err := rulesTable(settings, winnowFile)
			if err != nil {
				return nil, err
			}
			return spliceTable(old, "rules", table)
		}},
	} {
		old, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file.path)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read the current output: %w", err)
		}
		content, err := file.render(old)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.path, err)
		}
		outputs = append(outputs, output{file.path, old, content})
	}
	return outputs, nil
}

// findRoot returns the folder of go.mod, at or above the working directory.
func findRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the working directory: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod at or above the working directory; run it inside the checkout")
		}
		dir = parent
	}
}

// writeFile writes content to path and makes the folders it needs.
func writeFile(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make the output's folder: %w", err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	return nil
}
