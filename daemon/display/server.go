package display

import (
	"fmt"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

const (
	notStartedYet = "not started yet"
	alwaysLoaded  = "always loaded"
)

// serverRow makes the row of a server. matches is how many of its tools match the
// filter of the list; all of them where there is none.
func serverRow(s *protocol.ServerInfo, matches int) protocol.Row {
	look := stateLooks[s.State]
	seen, rest := serverDescription(s, matches)
	beside := uncut(seen, rest)
	if s.Error != "" {
		beside = ""
	}
	row := protocol.Row{
		Description:   joined(" · ", seen, rest),
		Tooltip:       serverTooltip(s),
		Icon:          &look.icon,
		Context:       serverContext(s),
		Accessibility: joined(", ", s.Name, look.words, serverSize(s), pinnedNote(s.AlwaysLoad), changesNote(s.Changes), s.Error),
	}
	label(&row, s.Name, beside, serverRoom)
	if s.State == protocol.ServerReady {
		row.Icon = readyIcon(s)
	}
	if !unstarted(s) {
		on := s.State != protocol.ServerDisabled
		row.Checked, row.CheckboxTooltip = &on, checkboxTooltip(s)
	}
	return row
}

// unstarted says whether the host has it in a file and has not started it:
// nothing is known of it, so it can be neither switched nor configured here.
func unstarted(s *protocol.ServerInfo) bool {
	return s.State == protocol.ServerHost && s.Tools == 0
}

// serverContext is the row's for menus.
func serverContext(s *protocol.ServerInfo) string {
	known, whose, pin, file, lock, changes := "server", "own", "unpinned", "", "", ""
	if unstarted(s) {
		known = "unstarted"
	}
	if s.State == protocol.ServerHost {
		whose = "host"
	}
	if s.AlwaysLoad {
		pin = "pinned"
	}
	if s.File != "" {
		file = "file"
	}
	if s.Content != "" {
		lock = "locked"
	}
	if s.Changes > 0 {
		changes = "changes"
	}
	return joined(".", known, whose, string(s.State), pin, file, lock, changes)
}

// readyIcon shows whether all, some or none of the tools are on: VS Code's
// checkboxes know no third state.
func readyIcon(s *protocol.ServerInfo) *protocol.Icon {
	icon := stateLooks[protocol.ServerReady].icon
	switch {
	case s.Changes > 0:
		icon = warningIcon
	case s.InScope == s.Tools:
	case s.InScope == 0:
		icon = offIcon
	default:
		icon = partlyIcon
	}
	return &icon
}

func checkboxTooltip(s *protocol.ServerInfo) string {
	if s.State == protocol.ServerDisabled {
		return "Enable this server in its file"
	}
	if s.InScope < s.Tools {
		return fmt.Sprintf("%s of %s on. Disable this server in its file", Number(s.InScope), Count(s.Tools, "tool"))
	}
	return "Disable this server in its file"
}

// serverDescription is what a row says beside the name: what must be seen, then
// what may be cut. That VS Code runs a server says the icon.
func serverDescription(s *protocol.ServerInfo, matches int) (seen, rest string) {
	look := stateLooks[s.State]
	switch {
	// That a server asks for a sign-in says no more than its state.
	case s.Error != "" && s.State != protocol.ServerSignedOut:
		return oneLine(s.Error), ""
	case unstarted(s):
		return notStartedYet, ""
	case look.attention || s.Tools == 0:
		return look.words, ""
	case s.Changes > 0:
		return changesNote(s.Changes), Tokens(s.ScopeTokens)
	case s.State != protocol.ServerReady && s.State != protocol.ServerHost:
		return look.words, Count(s.Tools, "tool") + " · " + Tokens(s.Tokens)
	}
	tools, shown := Count(s.Tools, "tool"), s.InScope
	if matches < s.Tools {
		shown = matches
	}
	if shown < s.Tools {
		tools = Number(shown) + " of " + Number(s.Tools)
	}
	// Of tokens, as the list's title says: the word would not fit.
	return tools + " · " + Tokens(s.ScopeTokens), pinnedNote(s.AlwaysLoad)
}

// serverSize says what the tools cost.
func serverSize(s *protocol.ServerInfo) string {
	switch {
	case unstarted(s):
		return notStartedYet
	case s.Tools == 0:
		return ""
	}
	return fmt.Sprintf("%s of %s on, %s tokens", Number(s.InScope), Count(s.Tools, "tool"), Number(s.Tokens))
}

func pinnedNote(alwaysLoad bool) string {
	if alwaysLoad {
		return alwaysLoaded
	}
	return ""
}

func serverTooltip(s *protocol.ServerInfo) string {
	look := stateLooks[s.State]
	lines := []string{"**" + Markdown(s.Name) + "** — " + look.words}
	add := func(said bool, format string, args ...any) {
		if said {
			lines = append(lines, fmt.Sprintf(format, args...))
		}
	}
	add(s.Error != "", "$(error) %s", Markdown(s.Error))
	add(look.next != "", "%s", look.next)
	add(unstarted(s), "VS Code starts it with your first message in agent mode. Then its tools are here.")
	add(s.State == protocol.ServerHost, "A routed model gets a tool that is on both here and in Configure Tools of VS Code's chat.")
	add(s.Tools > 0, "%s. That is what a request would carry with all of its tools.", serverSize(s))
	add(s.AlwaysLoad, "$(pinned) Every task gets all of its tools from the start: alwaysLoad of its entry is true.")
	for _, warning := range s.Warnings {
		add(true, "$(warning) %s", Markdown(warning))
	}
	add(s.File != "", "Defined in %s", Markdown(definition(s.File, s.Line)))
	add(len(s.Shadowed) > 0, "Also defined, and not used, in %s", Markdown(strings.Join(s.Shadowed, ", ")))
	add(s.StartMs != 0, "Started in %s ms", Number(int(s.StartMs)))
	add(s.FirstUseMs != 0, "Its first call waited %s ms for the start", Number(int(s.FirstUseMs)))
	return strings.Join(lines, "\n\n")
}

// definition names a place in a file; the line is 0 where it is not known.
func definition(file string, line int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}
