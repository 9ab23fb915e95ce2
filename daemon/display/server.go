package display

import (
	"fmt"
	"strings"
	"time"

	"github.com/winnow-mcp/winnow/protocol"
)

const (
	notStartedYet = "not started yet"
	alwaysLoaded  = "always loaded"
)

// serverRow returns the row of a server. found sums up its tools that match the list's
// filter; nil without a filter.
func serverRow(s *protocol.ServerInfo, found *toolSum) protocol.Row {
	look := lookOf(s)
	seen, rest := serverDescription(s, found)
	whole := append(seen, rest...)
	beside := uncut(seen.String(), rest.String())
	if s.Error != "" {
		beside = ""
	}
	row := protocol.Row{
		Description:   whole.String(),
		Tooltip:       serverTooltip(s),
		Icon:          &look.icon,
		Context:       serverContext(s),
		Accessibility: spoken(s.Name, look.words, whole, outOfMode(s.OutOfMode)),
	}
	label(&row, s.Name, beside, serverRoom)
	if s.State == protocol.ServerReady {
		row.Icon = readyIcon(s)
	}
	if !unstarted(s) {
		on := !isDisabled(s)
		row.Checked, row.CheckboxTooltip = &on, checkboxTooltip(s)
	}
	return row
}

// toolSum is a count of tools and their cost.
type toolSum struct{ tools, tokens int }

// isDisabled reports whether a file disables a server, including one of the host's.
func isDisabled(s *protocol.ServerInfo) bool {
	return s.State == protocol.ServerDisabled || s.State == protocol.ServerHost && entryKey(s.Cause) == "disabled"
}

func lookOf(s *protocol.ServerInfo) stateLook {
	if isDisabled(s) {
		return stateLooks[protocol.ServerDisabled]
	}
	look := stateLooks[s.State]
	if s.State == protocol.ServerStarting && s.Error != "" {
		look.icon, look.words = warningIcon, "not answering"
	}
	return look
}

// unstarted reports whether a host's server has not been started. Nothing is known of it,
// so it cannot be switched or configured here.
func unstarted(s *protocol.ServerInfo) bool {
	return s.State == protocol.ServerHost && s.Tools == 0
}

// serverContext returns the row's context value for menus.
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

// readyIcon shows whether all, some or none of the tools are on, because VS Code's
// checkboxes have no third state.
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
	if isDisabled(s) {
		return "Enable this server in its file"
	}
	if s.InScope < s.Tools {
		return fmt.Sprintf("%s of %s on. Disable this server in its file", Number(s.InScope), Count(s.Tools, "tool"))
	}
	return "Disable this server in its file"
}

// serverDescription returns the text beside the name: first what must be visible, then
// what may be cut. The icon shows that VS Code runs a server.
func serverDescription(s *protocol.ServerInfo, found *toolSum) (seen, rest description) {
	look := lookOf(s)
	switch {
	// A request for a sign-in adds nothing to the server's state.
	case s.Error != "" && s.State != protocol.ServerSignedOut:
		return description{words(oneLine(s.Error))}, nil
	case unstarted(s):
		return description{words(notStartedYet)}, nil
	case look.attention:
		return description{words(look.words)}, nil
	case s.Changes > 0:
		return description{words(changesNote(s.Changes))}, description{tokensPart(s.ScopeTokens)}
	case s.Tools == 0:
		return description{words(joined(" · ", look.words, resourcesNote(s)))}, nil
	case found == nil && (isDisabled(s) || s.State == protocol.ServerStopped):
		return description{words(look.words)}, toolsBeside(s, toolSum{s.Tools, s.Tokens})
	}
	shown := toolSum{s.InScope, s.ScopeTokens}
	if found != nil && found.tools < s.Tools {
		shown = *found
	}
	if s.State != protocol.ServerReady && s.State != protocol.ServerHost {
		return description{words(look.words)}, toolsBeside(s, shown)
	}
	return toolsBeside(s, shown), description{words(pinnedNote(s.AlwaysLoad))}
}

// toolsBeside counts some of a server's tools beside its name, with their tokens. The
// list's title has the noun, because it would not fit.
func toolsBeside(s *protocol.ServerInfo, shown toolSum) description {
	tools := words(Count(s.Tools, "tool"))
	if shown.tools < s.Tools {
		some := Number(shown.tools) + " of " + Number(s.Tools)
		tools = part{some, some + " tools"}
	}
	return description{tools, tokensPart(shown.tokens)}
}

// serverSize returns how many of the tools are on, and their share of the cost.
func serverSize(s *protocol.ServerInfo) string {
	switch {
	case unstarted(s):
		return notStartedYet
	case s.Tools == 0:
		return ""
	}
	tokens := Count(s.Tokens, "token")
	if s.InScope < s.Tools {
		tokens = Number(s.ScopeTokens) + " of " + tokens
	}
	return fmt.Sprintf("%s of %s on, %s", Number(s.InScope), Count(s.Tools, "tool"), tokens)
}

// outOfMode says how many tools the current mode removes, or "".
func outOfMode(tools int) string {
	if tools == 0 {
		return ""
	}
	return "the mode takes " + Count(tools, "tool") + " away"
}

// resourcesNote says that a server's resources are held back; empty where they are not.
func resourcesNote(s *protocol.ServerInfo) string {
	if !s.ResourcesHeld {
		return ""
	}
	return "resources not approved"
}

func pinnedNote(alwaysLoad bool) string {
	if alwaysLoad {
		return alwaysLoaded
	}
	return ""
}

func serverTooltip(s *protocol.ServerInfo) string {
	look := lookOf(s)
	lines := []string{"**" + Markdown(s.Name) + "** — " + look.words}
	add := func(said bool, format string, args ...any) {
		if said {
			lines = append(lines, fmt.Sprintf(format, args...))
		}
	}
	add(s.Error != "", "$(error) %s", Markdown(s.Error))
	add(look.next != "", "%s", look.next)
	add(len(remediesOf(s)) > 0, "A click offers what mends it, its definition and its log.")
	add(unstarted(s), "VS Code starts it with your first message in agent mode. Then its tools are here.")
	add(s.State == protocol.ServerHost, "A routed model gets a tool that is on both here and in Configure Tools of VS Code's chat.")
	add(s.Tools > 0, "%s. So much do all that are on cost in a request.", serverSize(s))
	add(s.OutOfMode > 0, "$(organization) %s", sentence(outOfMode(s.OutOfMode)))
	add(s.ResourcesHeld, "$(lock) Its resources are neither listed nor read before you approve of them, by its menu.")
	add(s.AlwaysLoad, "$(pinned) Every task gets all of its tools from the start, as its entry says (alwaysLoad).")
	for _, warning := range s.Warnings {
		add(true, "$(warning) %s", Markdown(warning))
	}
	add(s.File != "", "Defined in %s", Markdown(definition(s.File, s.Line)))
	add(len(s.Shadowed) > 0, "Also defined, and not used, in %s", Markdown(strings.Join(s.Shadowed, ", ")))
	add(s.PID != 0, "Process %d, connected since %s", s.PID, time.UnixMilli(s.RunsSince).Format("Mon 2 Jan 15:04"))
	add(s.Memory != 0, "%s MB of memory at %s, with what it has started", Number(int(s.Memory>>20)), time.UnixMilli(s.MemoryAt).Format("15:04"))
	add(s.Share != "", "%s, because %s.", sharedBy[s.Share], Markdown(s.ShareWhy))
	add(s.StartMs != 0, "Started in %s ms", Number(int(s.StartMs)))
	add(s.FirstUseMs != 0, "Its first call waited %s ms for the start", Number(int(s.FirstUseMs)))
	return strings.Join(lines, "\n\n")
}

// sharedBy says which clients share the process of a server.
var sharedBy = map[protocol.ServerShare]string{
	protocol.ShareUser:   "All of your clients use the same process of it",
	protocol.ShareFolder: "The clients in this folder use the same process of it",
	protocol.ShareClient: "Each client has a process of its own",
}

// definition names a place in a file; line is 0 if it is not known.
func definition(file string, line int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}
