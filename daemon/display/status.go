package display

import (
	"fmt"
	"path"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// maxNameInBar is the most letters of a name in a status bar, which has little space.
const maxNameInBar = 24

// State is the input of an editor's status bar.
type State struct {
	// Off reports that routing is off; Shadow, that shadow mode is on.
	Off, Shadow bool
	Catalog     protocol.CatalogRowsResult
	Modes       protocol.ModeListResult
	// Tasks holds the open tasks, last used last.
	Tasks protocol.TaskListResult
	// Models holds the names of the models usable with Winnow.
	Models []string
	// Rest estimates the tokens of the latest task's request besides MCP's tools.
	Rest int
	// Restricted reports that the user does not trust the folder.
	Restricted bool
	// Threshold is the number of tools up to which all are attached. InitialK is how many
	// of more tools the first message gets.
	Threshold, InitialK int
}

// Status returns the status bar item and its menu. It always has text, so that a person
// sees what Winnow does.
func Status(s *State) protocol.StatusResult {
	waiting := s.waiting()
	attention := s.attention(waiting)
	state := s.words()
	// Before there is a task to describe, what waits for the user comes first.
	first := state
	if attention != "" && s.task() == nil && !s.Off {
		first = attention
	}
	mode, spoken := s.mode(), ""
	if mode != "" {
		spoken = joined(", ", "mode "+mode, s.outOfMode())
	}
	said := []string{fmt.Sprintf("Winnow: %s.", joined(", ", strings.Replace(strings.TrimPrefix(state, "Winnow: "), routedSign, "routed, ", 1), spoken, attention, s.held()))}
	if t := s.task(); t != nil {
		said = append(said, taskNotes(t)...)
	}
	return protocol.StatusResult{
		Text:          fmt.Sprintf("$(%s) %s", s.icon(attention != ""), withoutIcons(joined(" · ", first, excerpt(mode, maxNameInBar)))),
		Tooltip:       strings.Join(s.tooltip(waiting), "\n\n"),
		Accessibility: strings.Join(append(said, "Opens the menu."), " "),
		Warning:       attention != "",
		Menu:          s.menu(waiting),
		Ways:          s.ways(),
	}
}

// task returns the task used last; nil if there is none or routing is off.
func (s *State) task() *protocol.TaskSummary {
	if s.Off || len(s.Tasks.Tasks) == 0 {
		return nil
	}
	return &s.Tasks.Tasks[len(s.Tasks.Tasks)-1]
}

// mode returns the name of the current mode, or "".
func (s *State) mode() string {
	for i := range s.Modes.Modes {
		if s.Modes.Modes[i].Slug == s.Modes.Current {
			return s.Modes.Modes[i].Name
		}
	}
	return ""
}

// outOfMode describes what the current mode removes.
func (s *State) outOfMode() string {
	tools := 0
	for i := range s.Catalog.Servers {
		tools += s.Catalog.Servers[i].OutOfMode
	}
	return takenAway(tools)
}

// takenAway returns how many tools a mode removes, after its name, or "".
func takenAway(tools int) string {
	if tools == 0 {
		return ""
	}
	return "which takes " + Count(tools, "tool") + " away"
}

// waiting returns the servers that wait for the user, even with routing off, because they
// still serve chats and the gateway.
func (s *State) waiting() []*protocol.ServerInfo {
	var waiting []*protocol.ServerInfo
	for i := range s.Catalog.Servers {
		if server := &s.Catalog.Servers[i].ServerInfo; stateLooks[server.State].attention {
			waiting = append(waiting, server)
		}
	}
	return waiting
}

// faults returns the faults in files that disable something.
func (s *State) faults() []*protocol.FileFault {
	var faults []*protocol.FileFault
	for i := range s.Catalog.Faults {
		if fault := &s.Catalog.Faults[i].FileFault; !fault.Warning {
			faults = append(faults, fault)
		}
	}
	return faults
}

// attention describes what waits for the user, or "".
func (s *State) attention(waiting []*protocol.ServerInfo) string {
	switch faults := s.faults(); {
	case len(faults) > 0:
		return "Winnow needs you: " + placeOf(base(faults[0].File), faults[0].Line)
	case len(waiting) == 1:
		return excerpt(waiting[0].Name, maxNameInBar) + " " + stateLooks[waiting[0].State].words
	case len(waiting) > 1:
		return Count(len(waiting), "server") + " need attention"
	}
	return ""
}

// held says how many tools wait for the user's approval, or "".
func (s *State) held() string {
	held := 0
	for i := range s.Catalog.Servers {
		held += s.Catalog.Servers[i].Held
	}
	switch held {
	case 0:
		return ""
	case 1:
		return "1 tool waits for your approval"
	}
	return fmt.Sprintf("%d tools wait for your approval", held)
}

// base returns the last element of a path of any system.
func base(file string) string { return path.Base(strings.ReplaceAll(file, `\`, "/")) }

// placeOf names a line of a file; line is 0 for the whole file.
func placeOf(file string, line int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// routedSign begins the text about a task whose tools were chosen.
const routedSign = "Routed: "

// words says in a few words what Winnow does.
func (s *State) words() string {
	t := s.task()
	switch {
	case s.Off:
		return "Winnow: off"
	case t == nil && s.Shadow:
		return "Winnow: only watching"
	case t == nil && s.Restricted:
		return "Winnow: restricted"
	case t == nil:
		return "Winnow: ready"
	case t.Counts.Scoped == 0:
		return "Winnow: no tools"
	case unrouted(t):
		return toolsOfTask(t)
	}
	chosen := toolsOfTask(t)
	if t.Shadow {
		return joined(", ", "would attach "+chosen, saving(t, s.Rest), missedOf(t))
	}
	return routedSign + joined(", ", chosen, saving(t, s.Rest), missedOf(t))
}

func (s *State) icon(waits bool) string {
	t := s.task()
	switch {
	case waits, t != nil && len(t.Warnings) > 0:
		return "warning"
	case s.Off:
		return "circle-slash"
	case s.Shadow:
		return "eye"
	}
	return "filter"
}

// tooltip returns the paragraphs of the item's tooltip.
func (s *State) tooltip(waiting []*protocol.ServerInfo) []string {
	lines := []string{"**Winnow**"}
	if s.Off {
		lines = append(lines, "Routing is off. VS Code groups tools by itself again. "+s.rules())
	} else {
		lines = append(lines, s.routed()...)
	}
	for _, fault := range s.faults() {
		lines = append(lines, "$(error) "+Markdown(placeOf(base(fault.File), fault.Line)+": "+fault.Message))
	}
	for _, server := range waiting {
		why := " " + stateLooks[server.State].words
		if server.Error != "" {
			why = ": " + Markdown(server.Error)
		}
		lines = append(lines, "$(warning) "+Markdown(server.Name)+why)
	}
	if held := s.held(); held != "" {
		lines = append(lines, fmt.Sprintf("$(lock) %s. [Review](command:winnow.showServers)", held))
	}
	if sums := week(&s.Tasks.Week); sums != "" {
		lines = append(lines, sums)
	}
	return append(lines, s.links())
}

// routed describes what routing does.
func (s *State) routed() []string {
	var lines []string
	if s.Restricted {
		lines = append(lines, "$(workspace-untrusted) Restricted Mode: no server that this folder defines starts. [Manage trust](command:winnow.manageTrust)")
	}
	if s.Shadow {
		lines = append(lines, "$(eye) Shadow mode: nothing is changed; this is what routing would do.")
	}
	lines = append(lines, s.latest()...)
	if mode := s.mode(); mode != "" {
		lines = append(lines, joined(", ", "Mode: "+Markdown(mode), s.outOfMode()))
	}
	return lines
}

// latest describes the latest task.
func (s *State) latest() []string {
	t := s.task()
	if t == nil {
		return []string{fmt.Sprintf("No task yet. [%s](command:winnow.useModel), or ask @winnow.", Markdown(s.useModel()))}
	}
	lines := []string{joined(" ", "The latest task.", sends(t, s.Rest), costs(t))}
	if costly(t) != "" {
		lines[0] += fmt.Sprintf(" [Change it](command:workbench.action.openSettings?%%22%%40id%%3A%s%%22)", costlySetting)
	}
	switch {
	case t.Counts.Scoped == 0:
		lines = []string{"The latest task has no MCP tools."}
	case hasAll(t):
		lines = []string{"Few tools: every one is attached, and nothing is left out."}
	}
	if said := used(&t.Used); said != "" {
		lines = append(lines, said)
	}
	for _, note := range taskNotes(t) {
		lines = append(lines, "$(warning) "+Markdown(note))
	}
	return lines
}

// useModel returns the name of the action that selects a routed model.
func (s *State) useModel() string {
	if len(s.Models) == 1 {
		return "Use Winnow with " + s.Models[0]
	}
	return "Use Winnow with My Model…"
}

// links returns the tooltip's actions.
func (s *State) links() string {
	turn, why := "Turn off", ""
	if s.Off {
		turn = "Turn on"
	}
	if s.task() != nil {
		why = "[Why these tools?](command:winnow.why)"
	}
	return joined(" · ", fmt.Sprintf("[%s](command:winnow.toggleRouting)", turn),
		"[Mode](command:winnow.pickMode)", "[Servers](command:winnow.showServers)", why)
}

// rules describes the user's rules in force, independent of routing.
func (s *State) rules() string {
	off, tools := 0, 0
	for i := range s.Catalog.Servers {
		if server := &s.Catalog.Servers[i].ServerInfo; isDisabled(server) || server.State == protocol.ServerStopped {
			off++
		} else {
			tools += server.Tools - server.InScope
		}
	}
	var rules []string
	if mode := s.mode(); mode != "" {
		rules = append(rules, joined(", ", "mode "+Markdown(mode), s.outOfMode()))
	}
	if off > 0 {
		rules = append(rules, Count(off, "server")+" off")
	}
	if tools > 0 {
		rules = append(rules, Count(tools, "tool")+" kept out")
	}
	if len(rules) == 0 {
		return "Every tool that it shows is sent."
	}
	return fmt.Sprintf("Your rules still hold: %s.", strings.Join(rules, ", "))
}
