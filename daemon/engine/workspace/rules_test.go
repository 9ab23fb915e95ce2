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
	path := filepath.Join(home, ".config", "winnow", "winnow.json")
	configtest.Write(t, path, string(raw))
	return path
}

// effect is what the rules for a server come to, as a model and its user see it.
type effect struct {
	State        protocol.ServerState
	Danger       bool   // the tool danger is listed, found, loaded and called
	Told         string // what models are told of echo
	Unasked      bool   // echo runs without a question
	FromTheStart bool   // echo is always loaded
}

// effectOf reads it off a task, a search, a load, a call and the gateway's list,
// which have to agree.
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
			})
		}
	}
}
