package display

import (
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
)

// remedies maps the states of servers that wait for the user to menu entries.
var remedies = map[protocol.ServerState]protocol.MenuEntry{
	protocol.ServerSignedOut:         {Label: "$(key) Sign in to", Command: "winnow.signIn"},
	protocol.ServerFailed:            {Label: "$(output) Show the log of", Command: "winnow.showServerLog"},
	protocol.ServerWaitingForConsent: {Label: "$(shield) Allow", Command: "winnow.allowServers"},
	protocol.ServerWaitingForTrust:   {Label: "$(workspace-untrusted) Trust the workspace, for", Command: "winnow.manageTrust"},
}

// remediesOf returns the actions for the row of a server in trouble: the remedy, then its
// definition, then its output. It returns none for other servers.
func remediesOf(s *protocol.ServerInfo) []protocol.MenuEntry {
	if !lookOf(s).attention && (s.State != protocol.ServerStarting || s.Error == "") {
		return nil
	}
	var entries []protocol.MenuEntry
	switch s.State {
	case protocol.ServerSignedOut:
		entries = append(entries, protocol.MenuEntry{Label: "$(key) Sign in", Command: "winnow.signIn"})
	case protocol.ServerWaitingForConsent:
		entries = append(entries, protocol.MenuEntry{Label: "$(shield) See what it starts, and allow it", Command: "winnow.allowServers"})
	case protocol.ServerWaitingForTrust:
		entries = append(entries, protocol.MenuEntry{Label: "$(workspace-untrusted) Manage workspace trust", Command: "winnow.manageTrust"})
	}
	if s.File != "" {
		entries = append(entries, protocol.MenuEntry{
			Label: "$(go-to-file) Open where it is defined", Description: withoutIcons(definition(s.File, s.Line)), Command: "winnow.openDefinition",
		})
	}
	if s.State != protocol.ServerWaitingForConsent && s.State != protocol.ServerWaitingForTrust && s.Cause == nil {
		entries = append(entries,
			protocol.MenuEntry{Label: "$(output) Show its log", Command: "winnow.showServerLog"},
			protocol.MenuEntry{Label: "$(debug-restart) Start it again now", Command: "winnow.restartServer"})
	}
	for i := range entries {
		entries[i].Server = s.Name
	}
	return entries
}

// menu returns the available actions. What waits for the user comes first, and actions
// without effect are omitted.
func (s *State) menu(waiting []*protocol.ServerInfo) []protocol.MenuEntry {
	entries := slices.Concat(s.menuAttention(waiting), s.menuRouting(), s.menuLook())
	for i := range entries {
		entries[i].Description = withoutIcons(entries[i].Description)
	}
	return entries
}

func (s *State) menuAttention(waiting []*protocol.ServerInfo) []protocol.MenuEntry {
	var entries []protocol.MenuEntry
	for _, fault := range s.faults() {
		entries = append(entries, protocol.MenuEntry{Label: "$(go-to-file) Open " + withoutIcons(fault.File), Description: oneLine(fault.Message), Fault: fault})
	}
	for _, server := range waiting {
		entry := remedies[server.State]
		entry.Label += " " + withoutIcons(server.Name)
		entry.Server, entry.Description = server.Name, stateLooks[server.State].words
		if server.Error != "" {
			entry.Description = oneLine(server.Error)
		}
		entries = append(entries, entry)
	}
	if len(entries) == 0 {
		return nil
	}
	return slices.Insert(entries, 0, protocol.MenuEntry{Label: "Needs attention"})
}

func (s *State) menuRouting() []protocol.MenuEntry {
	entries := []protocol.MenuEntry{{Label: "Routing"}}
	if len(s.Tasks.Tasks) == 0 && !s.Off {
		entries = append(entries, protocol.MenuEntry{Label: "$(sparkle) " + withoutIcons(s.useModel()), Command: "winnow.useModel"})
	}
	if len(s.Modes.Modes) > 0 {
		mode := s.mode()
		if mode == "" {
			mode = "no mode"
		}
		entries = append(entries, protocol.MenuEntry{Label: "$(organization) Pick mode…", Description: mode, Command: "winnow.pickMode"})
	}
	if s.Off {
		return append(entries, protocol.MenuEntry{
			Label: "$(play) Turn routing on", Command: "winnow.toggleRouting",
			Description: "it is off: VS Code groups tools by itself, and your rules hold",
		})
	}
	shadow := protocol.MenuEntry{
		Label: "$(eye) Shadow mode", Description: "decide and show, but change nothing", Command: "winnow.toggleShadow",
	}
	if s.Shadow {
		shadow.Label, shadow.Description = "$(eye-closed) Leave shadow mode", "routing decides again"
	}
	return append(entries, protocol.MenuEntry{
		Label: "$(circle-slash) Turn routing off", Command: "winnow.toggleRouting",
		Description: "VS Code groups tools by itself again; your rules still hold",
	}, shadow)
}

func (s *State) menuLook() []protocol.MenuEntry {
	entries := []protocol.MenuEntry{{Label: "Look"}, {Label: "$(graph) Show context usage", Command: "winnow.showContext"}}
	why := "$(question) Try a message: which tools would go along?"
	if len(s.Tasks.Tasks) > 0 {
		why = "$(question) Why is a tool attached, or not?"
	}
	entries = append(entries, protocol.MenuEntry{Label: why, Command: "winnow.why"})
	if slices.ContainsFunc(s.Tasks.Tasks, takesTools) {
		entries = append(entries, protocol.MenuEntry{Label: "$(cloud-download) Load a tool into a task…", Command: "winnow.loadTool"})
	}
	return append(entries,
		protocol.MenuEntry{Label: "$(server) Show servers and tools", Command: "winnow.showServers"},
		protocol.MenuEntry{Label: "$(output) Show log", Command: "winnow.showLog"})
}

// takesTools reports whether tools can be loaded into a task: it is routed, and does not
// have all of them.
func takesTools(t protocol.TaskSummary) bool { return !unrouted(&t) && !t.Shadow }
