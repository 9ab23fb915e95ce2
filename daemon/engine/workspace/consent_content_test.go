package workspace_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/journal"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// running has pids of the servers that were started by scripts with that file.
func running(t *testing.T, pidFile string) int {
	t.Helper()
	return len(strings.Fields(configtest.Read(t, pidFile)))
}

// TestConsent_isToContent: what was agreed to starts, and nothing that was
// added or changed since: in Winnow's own file of a trusted workspace, and in
// another client's.
func TestConsent_isToContent(t *testing.T) {
	t.Parallel()
	for _, file := range []string{".vscode/winnow.json", ".mcp.json"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			pids, env := filepath.Join(t.TempDir(), "pids"), filepath.Join(t.TempDir(), "env")
			configtest.Write(t, env, "A=1\n")
			e := configtest.Scripted(t, upstreamtest.Script{PIDFile: pids})
			e.EnvFile = env
			o := enginetest.Options{Workspace: t.TempDir(), Storage: t.TempDir()}
			define := func(s configtest.Servers) {
				t.Helper()
				if file == ".mcp.json" {
					configtest.ClaudeFile(t, o.Workspace, s)
					return
				}
				configtest.Save(t, o.Workspace, s, nil)
			}
			define(configtest.Servers{"s": e})
			h := enginetest.Start(t, o, nil)
			if file == ".mcp.json" {
				h.Allow("s")
			}
			h.UntilState("s", protocol.ServerReady)
			started := running(t, pids)

			changed := e
			changed.Args = append(slices.Clone(e.Args), "--extra")
			define(configtest.Servers{"s": changed, "added": configtest.Scripted(t, upstreamtest.Script{PIDFile: pids})})
			h.UntilState("s", protocol.ServerWaitingForConsent)
			h.UntilState("added", protocol.ServerWaitingForConsent)
			q, added := h.Question("s"), h.Question("added")
			if !q.Changed || len(q.Changes) != 1 || q.Changes[0].Key != "args" || !strings.HasSuffix(q.Changes[0].After, "--extra") {
				t.Errorf("the question is %+v, want one about the arguments", q)
			}
			if added.Changed || added.Starts == "" || added.File != q.File || q.OwnFile != (file != ".mcp.json") {
				t.Errorf("about what was added: %+v", added)
			}
			if now := running(t, pids); now != started {
				t.Errorf("%d servers were started without consent", now-started)
			}
			stale := protocol.ServerConsentParams{File: q.File, Server: "s", Hash: "another", Allow: true}
			if e := enginetest.Refused(h, h.ServerConsent, stale); e.Data.Kind != protocol.KindContentModified {
				t.Errorf("a yes to something else: %v", e)
			}
			h.Allow("s")
			h.UntilState("s", protocol.ServerReady)
			h.UntilState("added", protocol.ServerWaitingForConsent)

			// Back to what was agreed to before asks nothing; the content of an
			// envFile is part of it.
			define(configtest.Servers{"s": e})
			h.UntilState("s", protocol.ServerReady)
			h.Close()
			configtest.Write(t, env, "A=2\n")
			next := enginetest.Start(t, o, nil)
			next.UntilState("s", protocol.ServerWaitingForConsent)
			if q := next.Question("s"); !slices.ContainsFunc(q.Changes, func(c protocol.ConsentChange) bool { return c.Key == "content of envFile" }) {
				t.Errorf("after the envFile has changed: %+v", q.Changes)
			}
			next.Close()
			answers := enginetest.Recorded(t, o.Storage, journal.Filter{Kind: journal.Consent})
			if len(answers) == 0 || answers[0].Outcome != "allowed" || answers[0].By != "user" {
				t.Errorf("the record has %+v", answers)
			}
		})
	}
}

// TestConsent_hasNoEffectBefore: without trust or consent nothing in a file
// applies: the user's own server of the name runs, by the user's own rules, and
// the host's tools stay as they are.
func TestConsent_hasNoEffectBefore(t *testing.T) {
	t.Parallel()
	theirs := func(t *testing.T) configtest.Entry {
		e := configtest.Scripted(t, upstreamtest.Script{Tools: []string{configtest.Tool("theirs", "Theirs.")}})
		e.AlwaysAllow, e.DisabledTools = []string{"*"}, []string{"echo", "host_tool_1"}
		return e
	}
	for _, tt := range []struct {
		name      string
		file      string
		untrusted bool
		answer    *bool
		mine      bool // the user's own server is the one that runs
	}{
		{"untrusted", ".vscode/winnow.json", true, nil, true},
		{"another client's", ".mcp.json", false, nil, true},
		{"declined", ".mcp.json", false, new(false), true},
		{"agreed", ".mcp.json", false, new(true), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := enginetest.Options{Workspace: t.TempDir(), Home: t.TempDir(), Untrusted: tt.untrusted}
			s := configtest.Servers{"both": theirs(t), "host": theirs(t)}
			if tt.file == ".mcp.json" {
				configtest.ClaudeFile(t, o.Workspace, s)
			} else {
				configtest.Save(t, o.Workspace, s, configtest.Modes{"evil": {}})
			}
			user, err := json.Marshal(protocol.WinnowFile{Servers: configtest.Servers{"both": configtest.Scripted(t, upstreamtest.Script{})}})
			if err != nil {
				t.Fatal(err)
			}
			configtest.Write(t, filepath.Join(o.Home, ".config", "winnow", "winnow.json"), string(user))
			h := enginetest.Start(t, o, nil)
			if tt.answer != nil {
				enginetest.Call(h, h.ServerConsent, protocol.ServerConsentParams{
					File: filepath.Join(o.Workspace, tt.file), Allow: *tt.answer,
				})
			}
			want := map[bool]string{true: "echo", false: "theirs"}[tt.mine]
			h.Until(want+" of both", func() bool {
				both, _ := h.Server("both")
				return both.State == protocol.ServerReady && slices.ContainsFunc(h.Catalog().Tools, func(i protocol.ToolInfo) bool {
					return i.Server == "both" && i.Tool == want && i.InScope
				})
			})
			enginetest.Call(h, h.SetHostTools, protocol.SetHostToolsParams{
				Source: "editor", Tools: []protocol.HostTool{{Server: "host", Name: "host_tool_1", InputSchema: json.RawMessage(`{"type":"object"}`)}},
			})
			list := enginetest.Call(h, h.CatalogList, protocol.CatalogListParams{Source: "editor"})
			if len(list.Tools) != 1 || list.Tools[0].InScope != tt.mine {
				t.Errorf("the host's tools are %+v, want its tool in scope: %t", list.Tools, tt.mine)
			}
			if names := h.Engine.Modes.List().Modes; len(names) != 0 {
				t.Errorf("the modes are %+v", names)
			}
			if both := h.Catalog().Consents; tt.answer == nil && !tt.untrusted && !slices.ContainsFunc(both, func(q protocol.ConsentQuestion) bool {
				return q.Server == "both" && q.Instead
			}) {
				t.Errorf("the questions are %+v, want one about both", both)
			}
		})
	}
}

// TestConsent_ofTheOldVersion: a yes to a whole file is asked for again, with a
// word that says why; what a default does differently now is told, once.
func TestConsent_ofTheOldVersion(t *testing.T) {
	t.Parallel()
	o := enginetest.Options{Workspace: t.TempDir(), Storage: t.TempDir()}
	file := configtest.ClaudeFile(t, o.Workspace, configtest.Servers{"theirs": configtest.Scripted(t, upstreamtest.Script{})})
	h := enginetest.Start(t, o, nil)
	enginetest.Call(h, h.ServerConsent, protocol.ServerConsentParams{File: file, Allow: false})
	h.UntilState("theirs", protocol.ServerDeclined)
	h.Close()
	path := filepath.Join(h.Options.Home, ".config", "winnow", "consents.json")
	var kept struct{ Files map[string]string }
	if err := json.Unmarshal([]byte(configtest.Read(t, path)), &kept); err != nil || len(kept.Files) != 1 {
		t.Fatalf("kept are %+v, %v", kept, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(o.Storage, "consents.json") // where it was before
	for key := range kept.Files {
		configtest.Write(t, path, `{"version":1,"files":{"`+key+`":"allowed"}}`)
	}
	told := func(h *enginetest.Host) (times int) {
		for _, m := range h.Messages() {
			if strings.Contains(m.Message, "a redirect to another server is asked about") {
				times++
			}
		}
		return times
	}
	if n := told(h); n > 0 {
		t.Errorf("who has nothing of an earlier version is told %d times", n)
	}
	next := enginetest.Start(t, o, nil)
	defer func() {
		if first, later := told(next), told(enginetest.Start(t, o, nil)); first != 1 || later != 0 {
			t.Errorf("what is different now is told %d times, and %d later", first, later)
		}
	}()
	next.UntilState("theirs", protocol.ServerWaitingForConsent)
	if q := next.Question("theirs"); !q.AllowedByFile || q.Changed {
		t.Errorf("the question is %+v", q)
	}
	next.Allow("theirs")
	next.UntilState("theirs", protocol.ServerReady)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the earlier file is still there: %v", err)
	}
}

// TestConsent_missingProgram: a program that was missing when the user agreed is
// not started when it appears, whoever put it there: the user is asked.
func TestConsent_missingProgram(t *testing.T) {
	t.Parallel()
	o := enginetest.Options{Workspace: t.TempDir(), Storage: t.TempDir()}
	e := configtest.Scripted(t, upstreamtest.Script{})
	program := e.Command
	e.Command = filepath.Join(t.TempDir(), "later")
	configtest.ClaudeFile(t, o.Workspace, configtest.Servers{"s": e})
	h := enginetest.Start(t, o, nil)
	h.UntilState("s", protocol.ServerWaitingForConsent)
	h.Allow("s")
	h.UntilState("s", protocol.ServerFailed)
	e.Command = "later"
	bin := t.TempDir()
	e.Env["PATH"] = bin
	configtest.ClaudeFile(t, o.Workspace, configtest.Servers{"s": e})
	h.UntilState("s", protocol.ServerWaitingForConsent)
	h.Allow("s")
	if s := h.UntilState("s", protocol.ServerFailed); !strings.Contains(s.Error, "later") {
		t.Errorf("it says %q", s.Error)
	}
	if err := os.Symlink(program, filepath.Join(bin, "later")); err != nil {
		t.Skipf("no links here: %v", err)
	}
	if err := h.Engine.Upstream.Restart("s"); err != nil {
		t.Fatal(err)
	}
	h.UntilState("s", protocol.ServerFailed)
	if err := h.Engine.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.UntilState("s", protocol.ServerWaitingForConsent)
	if q := h.Question("s"); len(q.Changes) != 1 || q.Changes[0].Key != "command" {
		t.Errorf("the question is %+v", q)
	}
	h.Allow("s")
	h.UntilState("s", protocol.ServerReady)
}

// TestConsent_everywhere: a file of the user's is agreed to once, for all folders,
// also where the yes is one of an earlier version for one folder; the list has
// what was agreed to in other folders; and taking it back in one process stops
// the server in another.
func TestConsent_everywhere(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	server := configtest.Scripted(t, upstreamtest.Script{})
	text, err := json.Marshal(map[string]any{"mcpServers": configtest.Servers{"mine": server}})
	if err != nil {
		t.Fatal(err)
	}
	configtest.Write(t, filepath.Join(home, ".cursor", "mcp.json"), string(text))
	in := func() enginetest.Options {
		return enginetest.Options{Workspace: t.TempDir(), Storage: t.TempDir(), Home: home}
	}
	first, other := in(), in()
	repository := configtest.ClaudeFile(t, first.Workspace, configtest.Servers{"theirs": configtest.Scripted(t, upstreamtest.Script{})})
	h := enginetest.Start(t, first, nil)
	h.UntilState("mine", protocol.ServerWaitingForConsent)
	h.Allow("mine")
	h.Allow("theirs")
	h.UntilState("mine", protocol.ServerReady)

	next := enginetest.Start(t, other, nil)
	next.UntilState("mine", protocol.ServerReady)
	consents := map[string]protocol.Approval{}
	for _, a := range next.Engine.Approvals.List() {
		if a.Kind == protocol.ApprovalConsent {
			consents[a.Server] = a
		}
	}
	if theirs := consents["theirs"]; theirs.File != repository || theirs.Since == 0 || len(consents) != 2 {
		t.Errorf("agreed to are %+v", consents)
	}
	for _, a := range consents {
		if _, err := next.Engine.Approvals.Revoke(t.Context(), &protocol.ApprovalRevokeParams{ID: a.ID}); err != nil {
			t.Fatal(err)
		}
	}
	next.UntilState("mine", protocol.ServerWaitingForConsent)
	h.UntilState("mine", protocol.ServerWaitingForConsent)
	h.UntilState("theirs", protocol.ServerWaitingForConsent)
}
