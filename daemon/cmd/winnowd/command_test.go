package main

import (
	"slices"
	"strings"
	"testing"
)

// TestTwoDashes: long flags get a second dash, their values and what is behind
// "--" do not.
func TestTwoDashes(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"mcp -workspace /a -trust":           "mcp --workspace /a --trust",
		"mcp -workspace=-a -alone":           "mcp --workspace=-a --alone",
		"mcp -workspace -old -trust":         "mcp --workspace -old --trust",
		"-log debug why -tool -a/b -json hi": "--log debug why --tool -a/b --json hi",
		"why -json -tool a/b":                "why --json --tool a/b",
		"why -nonsense mcp":                  "why --nonsense mcp",
		"journal --tool -x -h -v":            "journal --tool -x -h -v",
		"call s/t -- -tool":                  "call s/t -- -tool",
		"call s/t -":                         "call s/t -",
		"-version":                           "--version",
	} {
		args := strings.Fields(line)
		got := twoDashes(root(), args)
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
		if !slices.Equal(args, strings.Fields(line)) {
			t.Errorf("%s: the arguments were changed in place", line)
		}
	}
}
