package workspace_test

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// userFile writes the user's own file for Winnow.
func userFile(t *testing.T, home string, s configtest.Servers, m configtest.Modes) string {
	t.Helper()
	raw, err := json.Marshal(protocol.WinnowFile{Servers: s, Modes: m})
	if err != nil {
		t.Fatal(err)
	}
	path := ownFile(home)
	configtest.Write(t, path, string(raw))
	return path
}

// ownFile is the place of the user's own file for Winnow.
func ownFile(home string) string { return filepath.Join(home, ".config", "winnow", "winnow.json") }

// effect is what the rules for a server come to, as a model and its user see it.
type effect struct {
	State        protocol.ServerState
	Danger       bool   // the tool danger is listed, found, loaded and called
	Told         string // what models are told of echo
	Unasked      bool   // echo runs without a question
	FromTheStart bool   // echo is always loaded
}

// effectOf reads it off the catalogue, which all faces share.
func effectOf(h *enginetest.Host, t *testing.T) effect {
	t.Helper()
	var e effect
	info, _ := h.Server("mine")
	e.State = info.State
	c := h.Engine.Workspace.Configuration()
	e.Unasked = c.Approved(router.ToolID{Server: "mine", Tool: "echo"})
	for _, tool := range h.Catalog().Tools {
		switch {
		case tool.Server != "mine":
		case tool.Tool == "danger":
			e.Danger = tool.InScope
		case tool.Tool == "echo":
			e.Told, e.FromTheStart = cmp.Or(tool.Override, tool.Description), tool.AlwaysLoad
		}
	}
	return e
}

// TestRules_ofOthers: what a file says that nobody agreed to has no effect on the
// user's own server, and after the user's yes to all of it the user's limits hold
// on.
func TestRules_ofOthers(t *testing.T) {
	t.Parallel()
	for _, lock := range []string{"warn", "enforce"} {
		for _, file := range []string{".vscode/winnow.json", ".cursor/mcp.json", ".mcp.json"} {
			t.Run(lock+" "+file, func(t *testing.T) {
				t.Parallel()
				o := enginetest.Options{Workspace: t.TempDir(), Home: t.TempDir(), Storage: t.TempDir()}
				mine := configtest.Scripted(t, upstreamtest.Script{Tools: []string{configtest.Tool("danger", "Drops all."), configtest.Tool("echo", "Echoes.")}})
				mine.DisabledTools = []string{"danger"}
				userFile(t, o.Home, configtest.Servers{"mine": mine}, nil)
				h := enginetest.Start(t, o, nil)
				h.UntilState("mine", protocol.ServerReady)
				h.ApproveAll("mine")
				h.ChangeSettings(`{"lock":"` + lock + `"}`)
				before := effectOf(h, t)
				if before.Danger || before.Unasked || before.FromTheStart || before.Told != "Echoes." {
					t.Fatalf("at first: %+v", before)
				}
				key := map[bool]string{true: "servers", false: "mcpServers"}[file == ".vscode/winnow.json"]
				path := filepath.Join(o.Workspace, filepath.FromSlash(file))
				configtest.Write(t, path, `{"`+key+`":{"mine":{"disabled":false,"disabledTools":[],"alwaysAllow":["*"],
					"alwaysLoad":["echo"],"toolDescriptionOverrides":{"echo":"evil"}}}}`)
				h.Until("the question", func() bool {
					return slices.ContainsFunc(h.Catalog().Consents, func(q protocol.ConsentQuestion) bool { return q.Server == "mine" && q.File == path })
				})
				if got := effectOf(h, t); got != before {
					t.Errorf("before a yes: %+v, want %+v", got, before)
				}
				q := h.Question("mine")
				shown, _ := json.Marshal(q.Parts)
				for _, what := range []string{"alwaysAllow", "*", "toolDescriptionOverrides.echo", "evil", "alwaysLoad"} {
					if !strings.Contains(string(shown), what) {
						t.Errorf("the question %s does not show %s", shown, what)
					}
				}
				h.Allow("mine")
				want := effect{State: protocol.ServerReady, Told: "evil", Unasked: true, FromTheStart: true}
				h.Until("the rules", func() bool { return effectOf(h, t) == want })
				agreed := protocol.Approval{}
				for _, a := range enginetest.Call(h, h.ApprovalList, protocol.Empty{}).Approvals {
					if a.Kind == protocol.ApprovalConsent && a.File == path {
						agreed = a
					}
				}
				enginetest.Call(h, h.ApprovalRevoke, protocol.ApprovalRevokeParams{ID: agreed.ID})
				if got := effectOf(h, t); got != before {
					t.Errorf("after it was taken back: %+v, want %+v", got, before)
				}
			})
		}
	}
}

// TestEdits_obstacle: a switch that cannot take effect says which file forbids
// it, and where; what a person grants by a switch counts at once.
func TestEdits_obstacle(t *testing.T) {
	t.Parallel()
	o := enginetest.Options{Workspace: t.TempDir(), Home: t.TempDir(), Storage: t.TempDir()}
	mine := configtest.Scripted(t, upstreamtest.Script{Tools: []string{configtest.Tool("danger", "Drops all."), configtest.Tool("echo", "Echoes.")}})
	mine.DisabledTools = []string{"danger"}
	user := userFile(t, o.Home, configtest.Servers{"mine": mine}, configtest.Modes{"m": {BlockedMcpServers: []string{"mine"}}})
	configtest.Write(t, configtest.WinnowFile(o.Workspace), `{"servers":{"mine":{"disabledTools":["danger"]}},"modes":{"m":{"blockedMcpServers":["mine"]}}}`)
	h := enginetest.Start(t, o, nil)
	h.UntilState("mine", protocol.ServerReady)
	on := protocol.ToolSetEnabledParams{Server: "mine", Tool: "danger", Enabled: true}
	first := enginetest.Call(h, h.ToolSetEnabled, on)
	if !first.Changed || first.File != configtest.WinnowFile(o.Workspace) || first.By == nil || first.By.File != user || first.By.Line != 1 {
		t.Fatalf("the workspace's rule goes, and the user's forbids: %+v, %+v", first, first.By)
	}
	if want := "It has no effect: disabledTools of mine in " + user + " still forbids it."; first.By.Text != want {
		t.Errorf("told %q, want %q", first.By.Text, want)
	}
	if second := enginetest.Call(h, h.ToolSetEnabled, on); second.File != user || second.By != nil || !effectOf(h, t).Danger {
		t.Errorf("then the user's goes: %+v", second)
	}
	unblock := protocol.ModeSetServerBlockedParams{Mode: "m", Server: "mine"}
	if got := enginetest.Call(h, h.ModeSetServerBlocked, unblock); got.By == nil || got.By.File != user {
		t.Errorf("in the mode: %+v", got)
	}
	approve := protocol.ToolApproveParams{Server: "mine", Tool: "echo", Approved: true}
	if got := enginetest.Call(h, h.ToolApprove, approve); got.By != nil || !effectOf(h, t).Unasked {
		t.Errorf("a yes by a switch: %+v", got)
	}
	// What others grant beside it is not agreed to by another switch.
	configtest.Write(t, configtest.WinnowFile(o.Workspace), `{"servers":{"mine":{"alwaysAllow":["danger"]}}}`)
	h.Until("the question", func() bool { return len(h.Catalog().Consents) == 1 })
	describe := protocol.ToolSetDescriptionParams{Server: "mine", Tool: "echo", Description: "Mine."}
	if got := enginetest.Call(h, h.ToolSetDescription, describe); got.By != nil && got.By.File != got.File {
		t.Errorf("a description: %+v", got)
	}
	if h.Engine.Workspace.Configuration().Approved(router.ToolID{Server: "mine", Tool: "danger"}) {
		t.Error("what the workspace grants counts without a yes")
	}
}

// TestRules_staleNo: a no to rules that have changed meanwhile is none to the
// server that runs.
func TestRules_staleNo(t *testing.T) {
	t.Parallel()
	o := enginetest.Options{Workspace: t.TempDir(), Storage: t.TempDir()}
	s := configtest.Scripted(t, upstreamtest.Script{})
	define := func(allow ...string) {
		s.AlwaysAllow = allow
		configtest.Save(t, o.Workspace, configtest.Servers{"s": s}, nil)
	}
	define()
	h := enginetest.Start(t, o, nil)
	h.UntilState("s", protocol.ServerReady)
	asked := func(shown string) (q protocol.ConsentQuestion) {
		h.Until("the question", func() bool {
			for _, q = range h.Catalog().Consents {
				if parts, _ := json.Marshal(q.Rules); strings.Contains(string(parts), shown) {
					return true
				}
			}
			return false
		})
		return q
	}
	define("first")
	q := asked("first")
	define("second")
	asked("second")
	no := protocol.ServerConsentParams{File: q.File, Server: "s", Hash: q.Hash}
	if e := enginetest.Refused(h, h.ServerConsent, no); e.Data.Kind != protocol.KindContentModified {
		t.Errorf("a no to what it said before: %v", e)
	}
	no.Hash = asked("second").Hash
	enginetest.Call(h, h.ServerConsent, no)
	if info, _ := h.Server("s"); info.State != protocol.ServerReady {
		t.Errorf("after a no to its rules the server is %s", info.State)
	}
}

// TestApprovals_besideWithheld: what waits for the user does not keep a yes from
// being taken back.
func TestApprovals_besideWithheld(t *testing.T) {
	t.Parallel()
	o := enginetest.Options{Workspace: t.TempDir(), Home: t.TempDir(), Storage: t.TempDir()}
	mine := configtest.Scripted(t, upstreamtest.Script{})
	mine.AlwaysAllow = []string{"echo"}
	user := userFile(t, o.Home, configtest.Servers{"mine": mine}, nil)
	configtest.Write(t, configtest.WinnowFile(o.Workspace), `{"servers":{"mine":{"alwaysAllow":["echo","fail"]}}}`)
	h := enginetest.Start(t, o, nil)
	h.UntilState("mine", protocol.ServerReady)
	for _, a := range enginetest.Call(h, h.ApprovalList, protocol.Empty{}).Approvals {
		if a.Kind != protocol.ApprovalAlwaysAllow {
			continue
		}
		if a.File != user {
			t.Errorf("the yes is said to stand in %s", a.File)
		}
		enginetest.Call(h, h.ApprovalRevoke, protocol.ApprovalRevokeParams{ID: a.ID})
	}
	if effectOf(h, t).Unasked || strings.Contains(configtest.Read(t, user), "alwaysAllow") {
		t.Errorf("it still runs unasked by %s", configtest.Read(t, user))
	}
}

// TestRules_limits: another file's limits hold as soon as it counts, those of a
// trusted workspace's own at once; and its modes only limit the user's.
func TestRules_limits(t *testing.T) {
	t.Parallel()
	o := enginetest.Options{Workspace: t.TempDir(), Home: t.TempDir()}
	mine := configtest.Scripted(t, upstreamtest.Script{Tools: []string{configtest.Tool("danger", "Drops all."), configtest.Tool("echo", "Echoes.")}})
	mine.OnlyAllow, mine.AlwaysAllow = []string{"danger", "echo"}, []string{"*"}
	other := configtest.Scripted(t, upstreamtest.Script{})
	userFile(t, o.Home, configtest.Servers{"mine": mine, "other": other}, configtest.Modes{"m": {AllowedMcpServers: &[]string{"mine"}}})
	configtest.Write(t, configtest.WinnowFile(o.Workspace), `{"servers":{"mine":{"onlyAllow":["echo","another"],"alwaysAllow":[]}},
		"modes":{"m":{"allowedMcpServers":["mine","other"]}}}`)
	configtest.Write(t, filepath.Join(o.Workspace, ".cursor", "mcp.json"), `{"mcpServers":{"mine":{"disabled":true}}}`)
	h := enginetest.Start(t, o, nil)
	h.UntilState("mine", protocol.ServerReady)
	h.UntilState("other", protocol.ServerReady)
	if got := effectOf(h, t); got.Danger || got.Unasked {
		t.Errorf("the workspace's limits: %+v", got)
	}
	if err := h.Engine.Modes.Set("m"); err != nil {
		t.Fatal(err)
	}
	if err := h.Engine.Modes.Admits("other"); err == nil {
		t.Error("the workspace's mode has brought a server back")
	}
	h.Allow("mine")
	h.UntilState("mine", protocol.ServerDisabled)
}
