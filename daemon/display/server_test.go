package display

import (
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/protocol"
)

// testServer is a running server of a file, as changed.
func testServer(change func(s *protocol.ServerInfo)) *protocol.ServerInfo {
	s := &protocol.ServerInfo{
		Name: "github", State: protocol.ServerReady, Tools: 27, Tokens: 18_000, InScope: 27, ScopeTokens: 18_000,
		File: "/w/.vscode/winnow.json", Line: 4,
	}
	if change != nil {
		change(s)
	}
	return s
}

func rowOf(change func(s *protocol.ServerInfo)) protocol.Row {
	s := testServer(change)
	return serverRow(s, nil)
}

func TestServerRow(t *testing.T) {
	row := rowOf(nil)
	for _, c := range []struct{ what, got, want string }{
		{"label", row.Label, "github"},
		{"description", row.Description, "27 tools · 18k"},
		{"context", row.Context, "server.own.ready.unpinned.file"},
		{"accessibility", row.Accessibility, "github, running, 27 tools, 18k tokens"},
		{"checkbox", row.CheckboxTooltip, "Disable this server in its file"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, c.got, c.want)
		}
	}
	if row.Checked == nil || !*row.Checked {
		t.Error("a running server is not checked")
	}
	if want := `Defined in /w/\.vscode/winnow\.json:4`; !strings.Contains(row.Tooltip, want) {
		t.Errorf("tooltip %q, want %q in it", row.Tooltip, want)
	}
}

func TestServerDescription(t *testing.T) {
	some := func(s *protocol.ServerInfo) { s.InScope, s.ScopeTokens = 3, 2000 }
	for want, change := range map[string]func(s *protocol.ServerInfo){
		"3 of 27 · 2k": some,
		"disabled · 27 tools · 18k": func(s *protocol.ServerInfo) {
			s.State, s.InScope, s.ScopeTokens = protocol.ServerDisabled, 0, 0
		},
		"starts at its first call · 27 tools · 18k": func(s *protocol.ServerInfo) { s.State = protocol.ServerKnown },
		"starts at its first call · 3 of 27 · 2k": func(s *protocol.ServerInfo) {
			s.State, s.InScope, s.ScopeTokens = protocol.ServerKnown, 3, 2000
		},
		"stopped · 27 tools · 18k": func(s *protocol.ServerInfo) {
			s.State, s.InScope, s.ScopeTokens = protocol.ServerStopped, 0, 0
		},
		"disabled · 27 tools · 18k ": func(s *protocol.ServerInfo) {
			s.State, s.InScope, s.ScopeTokens = protocol.ServerHost, 0, 0
			s.Cause = &protocol.Cause{Kind: protocol.CauseServer, Owner: s.Name, Key: "disabled"}
		},
		"1 tool · 1":                     func(s *protocol.ServerInfo) { s.Tools, s.InScope, s.Tokens, s.ScopeTokens = 1, 1, 1, 1 },
		"2 changes to review · 18k":      func(s *protocol.ServerInfo) { s.Changes = 2 },
		"27 tools · 18k · always loaded": func(s *protocol.ServerInfo) { s.AlwaysLoad = true },
		"signed out": func(s *protocol.ServerInfo) {
			s.State, s.Error = protocol.ServerSignedOut, "it asks for a sign-in"
		},
		"2 tools · 10": func(s *protocol.ServerInfo) {
			*s = protocol.ServerInfo{Name: "a", Source: "h", State: protocol.ServerHost, Tools: 2, Tokens: 10, InScope: 2, ScopeTokens: 10}
		},
	} {
		if got := rowOf(change).Description; got != strings.TrimSpace(want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for want, found := range map[string]toolSum{"2 of 27 · 210": {2, 210}, "3 of 27 · 2k": {27, 18_000}} {
		if got := serverRow(testServer(some), &found).Description; got != want {
			t.Errorf("filtered: got %q, want %q", got, want)
		}
	}
}

// A server of which some tools are off looks so, whatever its box says.
func TestServerPartlyOn(t *testing.T) {
	inScope := func(n int) protocol.Row {
		return rowOf(func(s *protocol.ServerInfo) { s.InScope, s.ScopeTokens = n, 0 })
	}
	icons := map[string]bool{}
	for _, n := range []int{27, 3, 0} {
		icons[inScope(n).Icon.ID] = true
	}
	if len(icons) != 3 {
		t.Errorf("icons of all, some and none: got %v, want three", icons)
	}
	some := inScope(3)
	if want := "3 of 27 tools on. Disable this server in its file"; some.CheckboxTooltip != want {
		t.Errorf("got %q, want %q", some.CheckboxTooltip, want)
	}
	two := rowOf(func(s *protocol.ServerInfo) { s.InScope, s.ScopeTokens = 3, 2000 })
	const size = "3 of 27 tools on, 2,000 of 18,000 tokens"
	if want := "github, running, 3 of 27 tools, 2k tokens"; two.Accessibility != want {
		t.Errorf("accessibility %q, want %q", two.Accessibility, want)
	}
	if !strings.Contains(two.Tooltip, size+". So much") {
		t.Errorf("tooltip %q, want %q in it", two.Tooltip, size)
	}
	failed := rowOf(func(s *protocol.ServerInfo) { s.State, s.InScope = protocol.ServerFailed, 3 })
	if failed.Icon.ID != "error" {
		t.Errorf("icon of a failed server: got %s, want error", failed.Icon.ID)
	}
}

// An error is the description, on one line, and its next step is in the tooltip.
func TestServerError(t *testing.T) {
	row := rowOf(func(s *protocol.ServerInfo) {
		*s = protocol.ServerInfo{Name: "github", State: protocol.ServerFailed, Error: "exit code 1\nnpx: not found"}
	})
	if want := "exit code 1 npx: not found"; row.Description != want {
		t.Errorf("got %q, want %q", row.Description, want)
	}
	if want := "github, failed, exit code 1 npx: not found"; row.Accessibility != want {
		t.Errorf("got %q, want %q", row.Accessibility, want)
	}
	if !strings.Contains(row.Tooltip, "Show Server Log") {
		t.Errorf("tooltip %q says no next step", row.Tooltip)
	}
}

// Every state has an icon and words, and a next step where it waits for the user.
func TestServerStates(t *testing.T) {
	for _, state := range []protocol.ServerState{
		protocol.ServerConfigured, protocol.ServerKnown, protocol.ServerStarting, protocol.ServerReady,
		protocol.ServerSignedOut, protocol.ServerFailed, protocol.ServerDisabled, protocol.ServerStopped,
		protocol.ServerWaitingForTrust, protocol.ServerWaitingForConsent, protocol.ServerDeclined, protocol.ServerHost,
	} {
		look := stateLooks[state]
		row := rowOf(func(s *protocol.ServerInfo) { s.State, s.Tools = state, 0 })
		if look.words == "" || row.Description == "" || row.Icon.ID == "" {
			t.Errorf("state %s: row %+v", state, row)
		}
		if look.attention && look.next == "" {
			t.Errorf("state %s waits for the user, and says no next step", state)
		}
	}
}

func TestServerContext(t *testing.T) {
	for want, change := range map[string]func(s *protocol.ServerInfo){
		"server.host.host.unpinned": func(s *protocol.ServerInfo) {
			*s = protocol.ServerInfo{Name: "a", Source: "h", State: protocol.ServerHost, Tools: 2}
		},
		"server.own.ready.unpinned.file.changes": func(s *protocol.ServerInfo) { s.Changes = 2 },
		"server.own.ready.unpinned.file.locked":  func(s *protocol.ServerInfo) { s.Content = "sha" },
		"server.own.ready.pinned.file":           func(s *protocol.ServerInfo) { s.AlwaysLoad = true },
	} {
		if got := rowOf(change).Context; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A server that the host has not started has neither a box nor a menu.
func TestServerUnstarted(t *testing.T) {
	row := rowOf(func(s *protocol.ServerInfo) { *s = protocol.ServerInfo{Name: "a", State: protocol.ServerHost} })
	if row.Checked != nil || row.Description != "not started yet" || !strings.HasPrefix(row.Context, "unstarted.") {
		t.Errorf("got %+v", row)
	}
	if want := "a, run by VS Code, not started yet"; row.Accessibility != want {
		t.Errorf("got %q, want %q", row.Accessibility, want)
	}
}

// One of the host's that a file of Winnow's switches off has an empty box, which
// switches it on.
func TestServerDisabledHost(t *testing.T) {
	row := rowOf(func(s *protocol.ServerInfo) {
		s.State, s.Source, s.InScope, s.ScopeTokens = protocol.ServerHost, "h", 0, 0
		s.Cause = &protocol.Cause{Kind: protocol.CauseServer, Owner: s.Name, Key: "disabled"}
	})
	if row.Checked == nil || *row.Checked || row.CheckboxTooltip != "Enable this server in its file" || row.Icon.ID != "circle-slash" {
		t.Errorf("got %+v, icon %+v", row, row.Icon)
	}
	if want := "github, disabled, 27 tools, 18k tokens"; row.Accessibility != want {
		t.Errorf("got %q, want %q", row.Accessibility, want)
	}
}

func TestServerNotes(t *testing.T) {
	pinned := rowOf(func(s *protocol.ServerInfo) { s.AlwaysLoad = true })
	changed := rowOf(func(s *protocol.ServerInfo) { s.Changes = 2 })
	if !strings.Contains(pinned.Tooltip, "Every task gets all of its tools") || !strings.Contains(pinned.Accessibility, "always loaded") {
		t.Errorf("got %+v", pinned)
	}
	if changed.Icon.ID != "warning" || !strings.Contains(changed.Accessibility, "2 changes to review") {
		t.Errorf("got %+v", changed)
	}
}

// The tooltip says which process runs, since when, and who uses it for what reason.
func TestServerTooltip_process(t *testing.T) {
	since := time.Date(2026, 1, 2, 15, 4, 0, 0, time.Local)
	tip := serverTooltip(testServer(func(s *protocol.ServerInfo) {
		s.PID, s.RunsSince, s.Share, s.ShareWhy = 4711, since.UnixMilli(), protocol.ShareFolder, "it may look at its folder"
		s.Memory, s.MemoryAt = 67<<20, since.Add(time.Hour).UnixMilli()
	}))
	for _, want := range []string{"67 MB of memory at 16:04, with what it has started", "Process 4711, connected since " + since.Format("Mon 2 Jan 15:04"), "The clients in this folder use the same process of it, because it may look at its folder."} {
		if !strings.Contains(tip, want) {
			t.Errorf("%q is not in %s", want, tip)
		}
	}
	if plain := serverTooltip(testServer(nil)); strings.Contains(plain, "rocess") {
		t.Errorf("of a server over HTTP it is %s", plain)
	}
}

// A server without tools says what it changed, and that its resources are held back.
func TestServerRow_resources(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]protocol.ServerInfo{
		"running":                          {State: protocol.ServerReady},
		"running · resources not approved": {State: protocol.ServerReady, ResourcesHeld: true},
	} {
		if row := serverRow(&s, nil); row.Description != want {
			t.Errorf("got %q, want %q", row.Description, want)
		}
	}
	held := serverRow(&protocol.ServerInfo{State: protocol.ServerReady, ResourcesHeld: true}, nil)
	contains(t, held.Accessibility, "resources not approved")
	contains(t, held.Tooltip, "Its resources are neither listed nor read before you approve of them")
	changed := serverRow(&protocol.ServerInfo{State: protocol.ServerReady, ResourcesHeld: true, Changes: 1}, nil)
	contains(t, changed.Description, "1 change to review")
}
