package main

import (
	"errors"
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

// TestExitCode: a terminal obeys nothing of an error, which may repeat the name
// of a server of the workspace's files; one that was told is not told again.
func TestExitCode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		code int
		out  string
	}{
		{nil, 0, ""},
		{errors.New("no server \x1b]0;title\x07"), 1, `no server \x1b]0;title\a` + "\n"},
		{exitError{exitUsage, errors.New("one\ntwo")}, exitUsage, "one\ntwo\n"},
		{exitError{code: exitDrift}, exitDrift, ""},
	} {
		var out strings.Builder
		if code := exitCode(tt.err, &out); code != tt.code || out.String() != tt.out {
			t.Errorf("%v: got %d and %q, want %d and %q", tt.err, code, out.String(), tt.code, tt.out)
		}
	}
}
