//go:build unix

package upstream

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/daemon/upstream/wire"
)

// TestStdio_Environment: a child gets the minimal environment, the host's
// variables and its own, and nothing else of the daemon's.
func TestStdio_Environment(t *testing.T) {
	t.Setenv("AWS_SECRET_ACCESS_KEY", "must not leak")
	dir := t.TempDir()
	m := newTestManager(t, Options{HostEnv: map[string]string{"HTTPS_PROXY": "http://proxy:1"}})
	cfg := scriptedConfig(t, "s", upstreamtest.Script{})
	cfg.Env["MINE"] = "yes"
	cfg.Cwd = dir
	apply(t, m, cfg)
	env := strings.Split(firstText(t, call(t, m, "s", "env", "")), "\n")
	var names []string
	for _, pair := range env {
		name, _, _ := strings.Cut(pair, "=")
		if !slices.Contains([]string{"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"}, name) {
			names = append(names, name)
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "WINNOW_LINEAGE" }) // on Linux only
	if want := []string{"HTTPS_PROXY", "MINE", "WINNOW_UPSTREAMTEST_SCRIPT"}; !slices.Equal(names, want) {
		t.Errorf("beside the defaults it has %q, want %q", names, want)
	}
	if !slices.Contains(env, "HTTPS_PROXY=http://proxy:1") || !slices.Contains(env, "MINE=yes") {
		t.Errorf("environment %q", env)
	}
}

// TestStdio_Program: what cannot be started is named with the next step.
func TestStdio_Program(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		cfg        Config
		want, next string
	}{
		"nowhere":        {Config{Command: "no-such-program-xyz"}, `"no-such-program-xyz"`, "full path"},
		"no such file":   {Config{Command: "./no-such-file", Cwd: dir}, `there is no program "./no-such-file"`, `Correct "command"`},
		"not a program":  {Config{Command: plain}, "permission denied", ""},
		"a folder":       {Config{Command: dir}, "permission denied", ""},
		"no such folder": {Config{Command: os.Args[0], Cwd: filepath.Join(dir, "gone")}, "start in its folder", `Correct "cwd"`},
		"cwd is a file":  {Config{Command: os.Args[0], Cwd: plain}, "is not a folder", `Correct "cwd"`},
		"no command":     {Config{Transport: wire.Stdio}, `no "command"`, "Correct the entry"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newTestManager(t, Options{})
			test.cfg.Name = "s"
			apply(t, m, test.cfg)
			s := waitState(t, m, "s", Failed)
			if !strings.Contains(s.Status.Error, test.want) || !strings.Contains(s.Status.Next, test.next) {
				t.Errorf("error %q, next %q", s.Status.Error, s.Status.Next)
			}
		})
	}
}

// TestStdio_FindProgram: the entry's PATH is the one that counts, and a
// relative command begins at the server's folder.
func TestStdio_FindProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(dir, "my-server")); err != nil {
		t.Fatal(err)
	}
	for _, tune := range []func(*Config){
		func(c *Config) { c.Command = "my-server"; c.Env["PATH"] = "relative:" + dir },
		func(c *Config) { c.Command = "./my-server"; c.Cwd = dir },
	} {
		readyServer(t, upstreamtest.Script{}, tune)
	}
}
