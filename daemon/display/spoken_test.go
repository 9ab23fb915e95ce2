package display

import (
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// A screen reader says what the eye reads, in that order: the name, then each part
// of the description.
func TestSpoken_asSeen(t *testing.T) {
	t.Parallel()
	offTool := testTool(offBy(protocol.CauseServer, "github", "disabledTools"))
	missing := explained("gone", func(e *protocol.ExplainedTool) { e.Attached, e.Missed = false, true })
	loaded := explained("read", func(e *protocol.ExplainedTool) { e.Turn, e.Reason = 3, protocol.ReasonLoaded })
	task := summary(func(s *protocol.TaskSummary) { s.Missed, s.MissedTools, s.Mode = 2, missedTools("a", "b"), "review" })
	for name, row := range map[string]protocol.Row{
		"a running server":   rowOf(nil),
		"a server partly on": rowOf(func(s *protocol.ServerInfo) { s.InScope, s.ScopeTokens = 3, 2000 }),
		"a changed server":   rowOf(func(s *protocol.ServerInfo) { s.Changes = 2 }),
		"a pinned server":    rowOf(func(s *protocol.ServerInfo) { s.AlwaysLoad = true }),
		"a failed server": rowOf(func(s *protocol.ServerInfo) {
			s.State, s.Error = protocol.ServerFailed, "GITHUB_TOKEN is missing: it exited"
		}),
		"a stopped server":    rowOf(func(s *protocol.ServerInfo) { s.State = protocol.ServerStopped }),
		"a long name":         rowOf(func(s *protocol.ServerInfo) { s.Name = strings.Repeat("long-", 12) }),
		"a tool":              toolRow(testTool(nil), "create_", false),
		"a tool that is off":  toolRow(offTool, "", false),
		"a changed tool":      toolRow(testTool(func(i *protocol.ToolInfo) { i.Lock, i.ReadOnly = protocol.LockChanged, true }), "", false),
		"a tool of a task":    taskToolRow(&loaded, "read", true),
		"a missed tool":       taskToolRow(&missing, "gone", false),
		"a task":              taskRow(task, 1, true),
		"a mistake in a file": *faultRow(&protocol.FileFault{File: "/w/winnow.json", Line: 3, Message: "invalid JSON"}, "", func(f string) string { return f }),
	} {
		seen := strings.Split(row.Description, " · ")
		if !strings.HasPrefix(row.Label, "Task ") { // which its host calls by its first words
			said := row.Label
			if row.Name != "" {
				said = row.Name
			}
			seen = append([]string{said}, seen...)
		}
		rest := row.Accessibility
		for _, part := range seen {
			_, after, found := strings.Cut(rest, part)
			if !found {
				t.Errorf("%s: %q does not read %q in this order", name, row.Accessibility, seen)
				break
			}
			rest = after
		}
	}
}

// What stands without its noun is read with it, and a state is read once.
func TestSpoken(t *testing.T) {
	t.Parallel()
	some := func(seen string) part { return part{seen, seen + " tools"} }
	for _, c := range []struct {
		icon string
		description
		want string
	}{
		{"running", description{words("27 tools"), tokensPart(18_000)}, "x, running, 27 tools, 18k tokens"},
		{"running", description{some("3 of 1,027"), tokensPart(1)}, "x, running, 3 of 1,027 tools, 1 token"},
		{"stopped", description{words("stopped"), words("27 tools"), tokensPart(8_200)}, "x, stopped, 27 tools, 8.2k tokens"},
		{"", description{some("all 9"), words(""), words("turn 2")}, "x, all 9 tools, turn 2"},
		{"error", nil, "x, error"},
		{"", description{words("3 of 5 · 1")}, "x, 3 of 5 · 1"}, // what a server printed
	} {
		if got := spoken("x", c.icon, c.description); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A row of a server that waits for the user offers what mends it, its definition
// and its log, each only where there is one.
func TestRemediesOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		change func(s *protocol.ServerInfo)
		want   []string
	}{
		{nil, nil},
		{func(s *protocol.ServerInfo) { s.State = protocol.ServerStarting }, nil},
		{
			func(s *protocol.ServerInfo) { s.State, s.Error = protocol.ServerStarting, "it has not answered" },
			[]string{"winnow.openDefinition", "winnow.showServerLog", "winnow.restartServer"},
		},
		{
			func(s *protocol.ServerInfo) { s.State, s.Error = protocol.ServerFailed, "GITHUB_TOKEN is missing" },
			[]string{"winnow.openDefinition", "winnow.showServerLog", "winnow.restartServer"},
		},
		{
			func(s *protocol.ServerInfo) { s.State = protocol.ServerSignedOut },
			[]string{"winnow.signIn", "winnow.openDefinition", "winnow.showServerLog", "winnow.restartServer"},
		},
		{
			func(s *protocol.ServerInfo) { s.State = protocol.ServerWaitingForConsent },
			[]string{"winnow.allowServers", "winnow.openDefinition"},
		},
		{
			func(s *protocol.ServerInfo) { s.State, s.File = protocol.ServerWaitingForTrust, "" },
			[]string{"winnow.manageTrust"},
		},
		{
			func(s *protocol.ServerInfo) {
				s.State, s.Error, s.Cause = protocol.ServerFailed, "it has no command", &protocol.Cause{Kind: protocol.CauseInvalid}
			},
			[]string{"winnow.openDefinition"},
		},
	} {
		s := testServer(c.change)
		var got []string
		for _, entry := range remediesOf(s) {
			got = append(got, entry.Command)
			if entry.Server != s.Name {
				t.Errorf("%s is of server %q", entry.Command, entry.Server)
			}
		}
		if strings.Join(got, " ") != strings.Join(c.want, " ") {
			t.Errorf("%s: %q, want %q", s.State, got, c.want)
		}
		if offered := strings.Contains(serverTooltip(s), "A click offers"); offered != (len(c.want) > 0) {
			t.Errorf("%s: the tooltip promises a click: %v", s.State, offered)
		}
	}
}
