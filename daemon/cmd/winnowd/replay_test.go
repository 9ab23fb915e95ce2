package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// exported is a session of opencode's with one call.
const exported = `{"info":{"id":"s"},"messages":[{"info":{"role":"user","time":{"created":4102444800000}},"parts":[{"type":"text","text":"remember garlic"}]},
 {"info":{"role":"assistant"},"parts":[{"type":"tool","tool":"mcp__memory__create_entities","callID":"c"}]}]}`

// TestReplay: a file is read, and the report written in each form.
func TestReplay(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	dir := t.TempDir()
	file, page := filepath.Join(dir, "export.json"), filepath.Join(dir, "page.html")
	configtest.Write(t, file, exported)
	run := func(args ...string) (string, error) {
		c := root()
		var out, failed bytes.Buffer
		c.SetOut(&out)
		c.SetErr(&failed)
		c.SetArgs(append([]string{"replay", "--workspace", dir, "--storage", filepath.Join(dir, "storage"), "--file", "opencode=" + file}, args...))
		err := c.Execute()
		return out.String(), err
	}
	text, err := run()
	if err != nil || !strings.Contains(text, "1 message in 1 conversation") || !strings.Contains(text, "opencode  1") {
		t.Errorf("got %v\n%s", err, text)
	}
	raw, err := run("--json", "--prices", "3,0.3,3.75")
	var report struct{ Calls map[string]int }
	if err != nil || json.Unmarshal([]byte(raw), &report) != nil || report.Calls["unknown"] != 1 {
		t.Errorf("got %v\n%s", err, raw)
	}
	if out, err := run("--html", page); err != nil || out != "" {
		t.Errorf("got %v\n%s", err, out)
	}
	if html, err := os.ReadFile(page); err != nil || !bytes.Contains(html, []byte("<!DOCTYPE html>")) {
		t.Errorf("got %v\n%s", err, html)
	}
	j := journal.Open(journal.Options{Dir: journal.Dir(filepath.Join(dir, "storage"))})
	for i, had := range []string{journal.HadFull, journal.HadFound, ""} {
		j.Record(journal.Entry{Kind: journal.Call, Client: "Cursor", Task: "t", Server: "memory", Tool: fmt.Sprint("tool", i), Outcome: journal.OK, Had: had})
	}
	j.Record(journal.Entry{Kind: journal.Call, Server: "memory", Outcome: journal.Refused})
	j.Close()
	text, err = run("--record")
	if err != nil || !strings.Contains(text, "3 calls in 1 task") || !strings.Contains(text, "50% (between 9% and 91%) of 2 calls") {
		t.Errorf("the record: got %v\n%s", err, text)
	}
	for _, args := range [][]string{{"--prices", "3"}, {"--client", "emacs"}, {"--since", "soon"}, {"--json", "--html", "-"}, {"--file", "export.json"}} {
		if _, err := run(args...); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}

// TestReplay_listed: the tools that a server had when it was started once are known.
func TestReplay_listed(t *testing.T) {
	t.Parallel()
	folder, storage, home := t.TempDir(), t.TempDir(), t.TempDir()
	configtest.Save(t, folder, configtest.Servers{"memory": configtest.Scripted(t, upstreamtest.Script{Tools: []string{configtest.Tool("create_entities", "Remember entities.")}})}, nil)
	file := filepath.Join(home, "export.json")
	configtest.Write(t, file, exported)
	run := func(args ...string) []byte {
		t.Helper()
		c := winnowd(t, append(args, "-trust", "-workspace", folder, "-storage", storage, "-json")...)
		c.Env = append(c.Env, "HOME="+home, "XDG_CONFIG_HOME="+home)
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
		return out
	}
	for _, want := range []map[string]int{{"unknown": 1}, {"in full": 1}} {
		var report struct{ Calls map[string]int }
		if err := json.Unmarshal(run("replay", "-file", "opencode="+file), &report); err != nil || !maps.Equal(report.Calls, want) {
			t.Errorf("%v, %v; want %v", report.Calls, err, want)
		}
		run("servers", "-start")
	}
}
