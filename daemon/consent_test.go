package daemon_test

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// claudeFile writes another client's file with one server.
func claudeFile(t *testing.T, workspace string, s servers) string {
	t.Helper()
	path := filepath.Join(workspace, ".mcp.json")
	raw, err := json.Marshal(map[string]any{"mcpServers": s})
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, string(raw))
	return path
}

// TestConsent: the servers of another client's file are listed at once, start
// after the user's consent, stop when it is withdrawn, and the answer is
// remembered.
func TestConsent(t *testing.T) {
	t.Parallel()
	pidFile := filepath.Join(t.TempDir(), "pids")
	o := daemontest.Options{Workspace: t.TempDir(), Storage: t.TempDir()}
	file := claudeFile(t, o.Workspace, servers{"theirs": scripted(t, upstreamtest.Script{PIDFile: pidFile})})
	save(t, o.Workspace, servers{"ours": scripted(t, upstreamtest.Script{})}, nil)
	h := daemontest.Run(t, o)
	h.Initialize(nil)
	h.UntilState("ours", protocol.ServerReady)
	s := h.UntilState("theirs", protocol.ServerWaitingForConsent)
	if s.File != file || s.Tools != 0 {
		t.Errorf("a server that waits: %+v", s)
	}
	if readFile(t, pidFile) != "" {
		t.Error("it was started without consent")
	}
	answer := func(allow bool) {
		daemontest.Call[protocol.Empty](h, protocol.MethodServerConsent, protocol.ServerConsentParams{File: file, Allow: allow})
	}
	answer(true)
	h.UntilState("theirs", protocol.ServerReady)
	a := open(h, "echo")
	if got := call(h, a.Task, "mcp__theirs__echo", `{"text":"x"}`); got != `{"text":"x"}` {
		t.Errorf("it answered %q", got)
	}
	answer(false)
	if s := h.UntilState("theirs", protocol.ServerDeclined); s.Tools != 0 {
		t.Errorf("a declined server lists %d tools", s.Tools)
	}
	if e := h.Refused(protocol.MethodTaskCall, protocol.TaskCallParams{Task: a.Task, Name: "mcp__theirs__echo"}); e.Code != protocol.CodeUnavailable {
		t.Errorf("a call of a declined server: %v", e)
	}
	h.Close()

	next := daemontest.Run(t, o)
	next.Initialize(nil)
	next.UntilState("ours", protocol.ServerReady)
	next.UntilState("theirs", protocol.ServerDeclined)
}

// TestTrust: nothing that an untrusted workspace defines starts, whatever file
// it is in, until the user trusts it.
func TestTrust(t *testing.T) {
	t.Parallel()
	pidFile := filepath.Join(t.TempDir(), "pids")
	o := daemontest.Options{Workspace: t.TempDir(), Home: t.TempDir(), Untrusted: true}
	save(t, o.Workspace, servers{"workspace": scripted(t, upstreamtest.Script{PIDFile: pidFile})}, nil)
	user, err := json.Marshal(protocol.WinnowFile{Servers: servers{"user": scripted(t, upstreamtest.Script{})}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(o.Home, ".config", "winnow", "winnow.json"), string(user))
	h := daemontest.Run(t, o)
	h.Initialize(nil)
	h.UntilState("user", protocol.ServerReady)
	h.UntilState("workspace", protocol.ServerWaitingForTrust)
	if e := h.Refused(protocol.MethodTaskCall, protocol.TaskCallParams{Task: open(h, "x").Task, Name: "mcp__workspace__echo"}); e.Code != protocol.CodeUnknownTool {
		t.Errorf("a call before trust: %v", e)
	}
	if readFile(t, pidFile) != "" {
		t.Error("it was started without trust")
	}
	h.Notify(protocol.MethodDidGrantTrust, protocol.Empty{})
	h.UntilState("workspace", protocol.ServerReady)
}

// TestInputs: a server that needs a value gets it from the user, once; one
// whose user declines says so.
func TestInputs(t *testing.T) {
	t.Parallel()
	e := scripted(t, upstreamtest.Script{})
	e.Env["TOKEN"] = "${input:token}"
	file, err := json.Marshal(protocol.WinnowFile{
		Servers: servers{"s": e},
		Inputs:  []protocol.InputEntry{{ID: "token", Type: protocol.InputPromptString, Description: "The token", Password: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	secret := "secret-value"
	for _, test := range []struct {
		name   string
		can    bool
		answer any
		state  protocol.ServerState
		says   string
	}{
		{"given", true, protocol.InputRequestResult{Value: &secret}, protocol.ServerReady, ""},
		{"dismissed", true, protocol.InputRequestResult{}, protocol.ServerFailed, "no value"},
		{"a host without prompts", false, nil, protocol.ServerFailed, "cannot ask"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			asked := make(chan protocol.InputRequestParams, 10)
			o := daemontest.Options{Workspace: t.TempDir(), Capabilities: protocol.ClientCapabilities{Prompt: test.can},
				Answer: func(m daemontest.Message) (any, *daemontest.Error) {
					var p protocol.InputRequestParams
					if m.Method != protocol.MethodInputRequest || json.Unmarshal(m.Params, &p) != nil {
						return nil, &daemontest.Error{Code: protocol.CodeMethodNotFound, Message: m.Method}
					}
					asked <- p
					return test.answer, nil
				}}
			write(t, winnowFile(o.Workspace), string(file))
			h := daemontest.Run(t, o)
			h.Initialize(nil)
			s := h.UntilState("s", test.state)
			if !strings.Contains(s.Error, test.says) {
				t.Errorf("it is %s: %q, want %q", s.State, s.Error, test.says)
			}
			if test.can {
				want := protocol.InputRequestParams{
					ID: "token", Server: "s", File: winnowFile(o.Workspace), Workspace: true,
					Kind: protocol.InputPromptString, Description: "The token", Password: true,
				}
				if p := <-asked; !reflect.DeepEqual(p, want) {
					t.Errorf("the host was asked %+v, want %+v", p, want)
				}
			}
			if test.state != protocol.ServerReady {
				return
			}
			if env := call(h, open(h, "env").Task, "env", `{}`); !strings.Contains(env, "TOKEN=[redacted]") || strings.Contains(env, secret) {
				t.Errorf("the server's environment is told as %s, want the token masked", env)
			}
			h.Notify(protocol.MethodDidChangeSettings, protocol.DidChangeSettingsParams{Settings: json.RawMessage(`{"results":{"maskSecrets":false}}`)})
			h.Until("the setting to count", func() bool {
				return strings.Contains(call(h, open(h, "env").Task, "env", `{}`), "TOKEN="+secret)
			})
			if strings.Contains(h.Log(), secret) {
				t.Error("the value is in the log")
			}
		})
	}
}

// TestEdits: a tool is switched in the user's own file; what the user wrote
// around it survives, and it counts when the answer comes.
func TestEdits(t *testing.T) {
	t.Parallel()
	e := scripted(t, upstreamtest.Script{})
	env, err := json.Marshal(e.Env)
	if err != nil {
		t.Fatal(err)
	}
	o := daemontest.Options{Workspace: t.TempDir()}
	before := `{
  // The servers of the team.
  "servers": {
    "s": {
      "command": ` + quote(e.Command) + `, // the test itself
      "env": ` + string(env) + `,
      "onlyAllow": [
        "echo",  // harmless
        "count",
      ],
    },
  },
  "modes": { "review": {} },
}
`
	write(t, winnowFile(o.Workspace), before)
	h := daemontest.Run(t, o)
	h.Initialize(nil)
	h.UntilState("s", protocol.ServerReady)
	in := func(tool string) bool { return ruleOf(h, "", ref("s", tool)) == "" }
	for _, step := range []struct {
		method  string
		params  any
		changed bool
		holds   func() bool
		wrote   string
	}{
		{protocol.MethodToolSetEnabled, protocol.ToolSetEnabledParams{Server: "s", Tool: "env", Enabled: true}, true,
			func() bool { return in("env") && in("echo") }, `"env"`},
		{protocol.MethodToolSetEnabled, protocol.ToolSetEnabledParams{Server: "s", Tool: "env", Enabled: true}, false,
			func() bool { return in("env") }, `"env"`},
		{protocol.MethodToolSetEnabled, protocol.ToolSetEnabledParams{Server: "s", Tool: "count", Enabled: false}, true,
			func() bool { return !in("count") && in("echo") }, `// harmless`},
		{protocol.MethodToolSetAlwaysLoad, protocol.ToolSetAlwaysLoadParams{Server: "s", Tool: "echo", AlwaysLoad: true}, true,
			func() bool { return open(h, "x").Tools[0].Name == "echo" }, `"alwaysLoad"`},
		{protocol.MethodToolSetDescription, protocol.ToolSetDescriptionParams{Server: "s", Tool: "echo", Description: "Ours."}, true,
			func() bool { return open(h, "x").Tools[0].Description == "Ours." }, `"Ours."`},
		{protocol.MethodToolApprove, protocol.ToolApproveParams{Server: "s", Tool: "echo", Approved: true}, true,
			func() bool { return true }, `"alwaysAllow"`},
		{protocol.MethodToolSetAlwaysLoad, protocol.ToolSetAlwaysLoadParams{Server: "s", AlwaysLoad: true}, true,
			func() bool { s, _ := h.Server("s"); return s.AlwaysLoad && len(open(h, "x").Tools) > 0 }, `"alwaysLoad": true`},
		{protocol.MethodServerSetEnabled, protocol.ServerSetEnabledParams{Name: "s", Enabled: false}, true,
			func() bool { s, _ := h.Server("s"); return s.InScope == 0 }, `"disabled": true`},
	} {
		was := readFile(t, winnowFile(o.Workspace))
		r := daemontest.Call[protocol.EditResult](h, step.method, step.params)
		if (r.Edit != "") != step.changed {
			t.Errorf("%s can be undone: %q", step.method, r.Edit)
		}
		if r.Edit != "" { // there and back again
			undone := daemontest.Call[protocol.EditResult](h, protocol.MethodEditUndo, protocol.EditUndoParams{Edit: r.Edit})
			if now := readFile(t, winnowFile(o.Workspace)); now != was || !undone.Changed {
				t.Errorf("%s undone left\n%s", step.method, now)
			}
			if e := h.Refused(protocol.MethodEditUndo, protocol.EditUndoParams{Edit: r.Edit}); e.Code != protocol.CodeInvalidParams {
				t.Errorf("undone twice: %v", e)
			}
			r = daemontest.Call[protocol.EditResult](h, step.method, step.params)
		}
		now := readFile(t, winnowFile(o.Workspace))
		if r.File != winnowFile(o.Workspace) || r.Changed != step.changed || !strings.Contains(now, step.wrote) {
			t.Errorf("%s %+v answered %+v and wrote\n%s", step.method, step.params, r, now)
		}
		if !step.holds() {
			t.Errorf("%s %+v is not in force when it is answered", step.method, step.params)
		}
	}
	blocked := daemontest.Call[protocol.EditResult](h, protocol.MethodModeSetServerBlocked,
		protocol.ModeSetServerBlockedParams{Mode: "review", Server: "s", Blocked: true})
	if now := readFile(t, winnowFile(o.Workspace)); !blocked.Changed || !strings.Contains(now, `"blockedMcpServers"`) {
		t.Errorf("mode/setServerBlocked answered %+v and wrote\n%s", blocked, now)
	}
	modes := daemontest.Call[protocol.ModeListResult](h, protocol.MethodModeList, protocol.Empty{}).Modes
	if len(modes) != 1 || modes[0].Line == 0 || !slices.Equal(modes[0].BlockedMcpServers, []string{"s"}) {
		t.Errorf("the block is not in force when it is answered: %+v", modes)
	}
	for _, p := range []protocol.ModeSetServerBlockedParams{{Mode: "none", Server: "s"}, {Mode: "review", Server: "none"}} {
		if e := h.Refused(protocol.MethodModeSetServerBlocked, p); e.Code != protocol.CodeUnknownMode && e.Code != protocol.CodeUnknownServer {
			t.Errorf("%+v: %v", p, e)
		}
	}
	for method, p := range map[string]any{
		protocol.MethodToolSetEnabled:     protocol.ToolSetEnabledParams{Server: "s"},
		protocol.MethodToolApprove:        protocol.ToolApproveParams{Server: "s"},
		protocol.MethodToolSetDescription: protocol.ToolSetDescriptionParams{Server: "s"},
	} {
		if e := h.Refused(method, p); e.Code != protocol.CodeInvalidParams {
			t.Errorf("%s of no tool: %v", method, e)
		}
	}
	after := readFile(t, winnowFile(o.Workspace))
	write(t, winnowFile(o.Workspace), after+"\n")
	if e := h.Refused(protocol.MethodEditUndo, protocol.EditUndoParams{Edit: blocked.Edit}); e.Code != protocol.CodeEdit {
		t.Errorf("an undo of a file that was changed since: %v", e)
	}
	write(t, winnowFile(o.Workspace), after) // what hindered it is gone: it can be tried again
	if undone := daemontest.Call[protocol.EditResult](h, protocol.MethodEditUndo, protocol.EditUndoParams{Edit: blocked.Edit}); !undone.Changed || undone.Edit != "" {
		t.Errorf("undone at last: %+v", undone)
	}
	for _, kept := range []string{"// The servers of the team.", "// the test itself", "// harmless"} {
		if !strings.Contains(after, kept) {
			t.Errorf("%q is lost:\n%s", kept, after)
		}
	}
	if e := h.Refused(protocol.MethodToolSetEnabled, protocol.ToolSetEnabledParams{Server: "none", Tool: "x"}); e.Code != protocol.CodeUnknownServer {
		t.Errorf("an unknown server: %v", e)
	}
	write(t, winnowFile(o.Workspace), "{ broken")
	h.Until("the problem to be told", func() bool {
		return slices.ContainsFunc(told[protocol.ShowMessageParams](h, protocol.MethodShowMessage),
			func(p protocol.ShowMessageParams) bool {
				return p.File == winnowFile(o.Workspace) && p.Line == 1 && p.Next != ""
			})
	})
	if e := h.Refused(protocol.MethodServerSetEnabled, protocol.ServerSetEnabledParams{Name: "s", Enabled: true}); e.Code != protocol.CodeEdit || e.Data.File == "" {
		t.Errorf("an edit of a broken file: %v", e)
	}
	// The last good configuration stays. A server that was just starting ends first.
	h.UntilState("s", protocol.ServerDisabled)
}
