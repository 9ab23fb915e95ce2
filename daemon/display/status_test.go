package display

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// state makes what a status bar goes by, with one task, as change leaves it.
func state(change func(*State)) *State {
	s := &State{Models: []string{"Scripted One"}}
	s.Tasks.Tasks = []protocol.TaskSummary{{
		Task: "t", Source: "vscode:1", Client: true, Turn: 1, Routing: protocol.AttachDynamic,
		Counts: protocol.AttachedCounts{Scoped: 403, Attached: 12},
		Tokens: protocol.AttachedTokens{All: 58_000, Attached: 2000, Saved: 56_000, Client: 6100, ClientSaved: 4100},
		Used:   protocol.UsedTools{Called: 2, InHand: 1},
	}}
	if change != nil {
		change(s)
	}
	return s
}

func noTask(s *State)     { s.Tasks.Tasks = nil }
func reviewMode(s *State) { s.Modes = modesWith("Review") }

func modesWith(name string) protocol.ModeListResult {
	return protocol.ModeListResult{Current: "m", Modes: []protocol.ModeInfo{{Slug: "m", Name: name}}}
}

// task changes the task.
func task(changes ...func(*protocol.TaskSummary)) func(*State) {
	return func(s *State) {
		for _, change := range changes {
			change(&s.Tasks.Tasks[0])
		}
	}
}

func fewTools(t *protocol.TaskSummary) {
	t.Routing, t.Counts.Attached = protocol.AttachAll, t.Counts.Scoped
}

func withServers(servers ...protocol.ServerInfo) func(*State) {
	return func(s *State) {
		for i := range servers {
			s.Catalog.Servers = append(s.Catalog.Servers, protocol.ServerRow{ServerInfo: servers[i]})
		}
	}
}

func all(changes ...func(*State)) func(*State) {
	return func(s *State) {
		for _, change := range changes {
			change(s)
		}
	}
}

func TestStatus_text(t *testing.T) {
	fault := func(s *State) {
		s.Catalog.Faults = []protocol.FaultRow{{FileFault: protocol.FileFault{File: `C:\w\.vscode\winnow.json`, Line: 3, Message: "not JSON"}}}
	}
	consent := protocol.ServerInfo{Name: "docs", State: protocol.ServerWaitingForConsent}
	evil := strings.Repeat("$(check) ", 9)
	for name, tt := range map[string]struct {
		change  func(*State)
		want    string
		warning bool
	}{
		"a task":             {nil, "$(filter) Routed: 12 of 403 tools, saves 4.1k", false},
		"a mode like icons":  {func(s *State) { s.Modes = modesWith(evil) }, `$(filter) Routed: 12 of 403 tools, saves 4.1k · \$(check) \$(check) $(che…`, false},
		"a server like one":  {all(noTask, withServers(protocol.ServerInfo{Name: evil, State: protocol.ServerFailed})), `$(warning) \$(check) \$(check) $(che… failed`, true},
		"a mode":             {reviewMode, "$(filter) Routed: 12 of 403 tools, saves 4.1k · Review", false},
		"no task":            {noTask, "$(filter) Winnow: ready", false},
		"no task, a mode":    {all(noTask, reviewMode), "$(filter) Winnow: ready · Review", false},
		"restricted":         {all(noTask, func(s *State) { s.Restricted = true }), "$(filter) Winnow: restricted", false},
		"computed":           {task(func(t *protocol.TaskSummary) { t.ClientComputed = true }), "$(filter) Routed: 12 of 403 tools, saves about 4.1k", false},
		"watching":           {all(noTask, func(s *State) { s.Shadow = true }), "$(eye) Winnow: only watching", false},
		"off":                {func(s *State) { s.Off = true }, "$(circle-slash) Winnow: off", false},
		"few tools":          {task(fewTools), "$(filter) all of 403 tools", false},
		"one came since":     {task(fewTools, func(t *protocol.TaskSummary) { t.Counts.Scoped++ }), "$(filter) 403 of 404 tools", false},
		"no tools":           {task(func(t *protocol.TaskSummary) { t.Counts = protocol.AttachedCounts{} }), "$(filter) Winnow: no tools", false},
		"it costs more":      {task(func(t *protocol.TaskSummary) { t.Tokens.ClientSaved = -320 }), "$(filter) Routed: 12 of 403 tools", false},
		"it saves nothing":   {task(func(t *protocol.TaskSummary) { t.Tokens.ClientSaved = 0 }), "$(filter) Routed: 12 of 403 tools", false},
		"a task warns":       {task(func(t *protocol.TaskSummary) { t.Warnings = []string{"x"} }), "$(warning) Routed: 12 of 403 tools, saves 4.1k", false},
		"consent":            {all(noTask, withServers(consent)), "$(warning) docs waits for your consent", true},
		"consent, with off":  {all(withServers(consent), func(s *State) { s.Off = true }), "$(warning) Winnow: off", true},
		"consent and a task": {withServers(consent), "$(warning) Routed: 12 of 403 tools, saves 4.1k", true},
		"a fault":            {all(noTask, fault), "$(warning) Winnow needs you: winnow.json:3", true},
		"a fault and a task": {fault, "$(warning) Routed: 12 of 403 tools, saves 4.1k", true},
		"only watching a task": {
			all(func(s *State) { s.Shadow = true }, task(func(t *protocol.TaskSummary) { t.Shadow, t.Missed = true, 1 })),
			"$(eye) would attach 12 of 403 tools, would save 4.1k, 1 missed", false,
		},
	} {
		if got := Status(state(tt.change)); got.Text != tt.want || got.Warning != tt.warning {
			t.Errorf("%s: got %q, warning %v; want %q, %v", name, got.Text, got.Warning, tt.want, tt.warning)
		}
	}
}

func TestStatus_tooltip(t *testing.T) {
	got := Status(state(reviewMode))
	has(t, got.Tooltip, "The latest task. It sends 4.1k tokens fewer than VS Code by itself. Its requests carry 2,000 tokens", "VS Code by itself", "sends 6,100 tokens", "cost 58,000 tokens",
		"The model asked to call 2 tools: 1 was attached before", "Mode: Review", "[Turn off](command:winnow.toggleRouting)", "[Why these tools?]")
	if want := "Winnow: routed, 12 of 403 tools, saves 4.1k, mode Review. Opens the menu."; got.Accessibility != want {
		t.Errorf("a screen reader says %q, want %q", got.Accessibility, want)
	}
	if ready := Status(state(noTask)).Tooltip; strings.Contains(ready, "winnow.why") {
		t.Errorf("got %q, which offers to explain a task that there is not", ready)
	}
	has(t, Status(state(func(s *State) { s.Restricted = true })).Tooltip, "Restricted Mode: no server that this folder defines starts.")
	has(t, Status(state(noTask)).Tooltip, "No task yet. [Use Winnow with Scripted One](command:winnow.useModel), or ask @winnow.")
	has(t, Status(state(all(noTask, func(s *State) { s.Models = []string{"A", "B"} }))).Tooltip, "[Use Winnow with My Model…]")
	none := Status(state(task(fewTools, func(t *protocol.TaskSummary) { t.Counts = protocol.AttachedCounts{} }))).Tooltip
	has(t, none, "The latest task has no MCP tools.")
	if strings.Contains(none, "Few tools") {
		t.Errorf("got %q of a task without tools", none)
	}
	has(t, Status(state(task(fewTools))).Tooltip, "Few tools: every one is attached, and nothing is left out.")
	week := func(s *State) { s.Tasks.Week = protocol.WeekSavings{Requests: 1, Tasks: 1, ClientSaved: 2} }
	has(t, Status(state(week)).Tooltip, "This week, 1 request of 1 task")
}

// Off tells which rules still hold.
func TestStatus_off(t *testing.T) {
	off := func(s *State) { s.Off = true }
	servers := withServers(protocol.ServerInfo{Name: "docs", State: protocol.ServerReady, Tools: 9, InScope: 7},
		protocol.ServerInfo{Name: "b", State: protocol.ServerDisabled, Tools: 5})
	hosts := withServers(protocol.ServerInfo{
		Name: "c", Source: "h", State: protocol.ServerHost, Tools: 4, Cause: &protocol.Cause{Kind: protocol.CauseServer, Owner: "c", Key: "disabled"},
	})
	has(t, Status(state(all(off, servers, hosts))).Tooltip, "Your rules still hold: 2 servers off, 2 tools kept out.")
	got := Status(state(all(off, servers, func(s *State) { s.Modes = modesWith("Notes") }))).Tooltip
	has(t, got, "VS Code groups tools by itself again. Your rules still hold: mode Notes, 1 server off, 2 tools kept out.", "[Turn on]")
	if strings.Contains(got, "latest task") || strings.Contains(got, "Mode: ") || strings.Contains(got, "Why these") {
		t.Errorf("got %q, which tells of a task", got)
	}
	has(t, Status(state(off)).Tooltip, "Every tool that it shows is sent.")
}

func TestStatus_attention(t *testing.T) {
	two := withServers(protocol.ServerInfo{Name: "a", State: protocol.ServerFailed, Error: "exit code *1*"},
		protocol.ServerInfo{Name: "b", State: protocol.ServerSignedOut})
	got := Status(state(two))
	has(t, got.Accessibility, "saves 4.1k, 2 servers need attention. Opens")
	has(t, got.Tooltip, `$(warning) a: exit code \*1\*`, "$(warning) b signed out")
	shadow := func(s *State) {
		s.Shadow = true
		task := &s.Tasks.Tasks[0]
		task.Shadow, task.Missed, task.MissedTools, task.Warnings = true, 1, missedTools("read_file"), []string{"2 tools do not fit"}
	}
	got = Status(state(shadow))
	has(t, got.Tooltip, "$(eye) Shadow mode: nothing is changed", "It would send ", `$(warning) Missed: read\_file`, "$(warning) 2 tools do not fit")
	has(t, got.Accessibility, "Missed: read_file of files. ", " 2 tools do not fit. Opens the menu.")
}

// commandsOf lists the commands of a menu.
func commandsOf(s *State) []string {
	var commands []string
	for _, entry := range Status(s).Menu {
		if entry.Command != "" {
			commands = append(commands, entry.Command)
		}
	}
	return commands
}

func TestStatus_menu(t *testing.T) {
	off := func(s *State) { s.Off = true }
	for name, tt := range map[string]struct {
		change func(*State)
		want   []string
	}{
		"a task": {reviewMode, []string{
			"winnow.pickMode", "winnow.toggleRouting", "winnow.toggleShadow", "winnow.showContext", "winnow.why", "winnow.loadTool",
			"winnow.showServers", "winnow.showLog",
		}},
		"no task, no mode": {noTask, []string{
			"winnow.useModel", "winnow.toggleRouting", "winnow.toggleShadow", "winnow.showContext", "winnow.why", "winnow.showServers", "winnow.showLog",
		}},
		"off": {all(noTask, off), []string{"winnow.toggleRouting", "winnow.showContext", "winnow.why", "winnow.showServers", "winnow.showLog"}},
		"all tools are attached": {func(s *State) { s.Tasks.Tasks[0].Routing = protocol.AttachAll }, []string{
			"winnow.toggleRouting", "winnow.toggleShadow", "winnow.showContext", "winnow.why", "winnow.showServers", "winnow.showLog",
		}},
		"the task is only watched": {func(s *State) { s.Tasks.Tasks[0].Shadow = true }, []string{
			"winnow.toggleRouting", "winnow.toggleShadow", "winnow.showContext", "winnow.why", "winnow.showServers", "winnow.showLog",
		}},
	} {
		if got := commandsOf(state(tt.change)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
	has(t, Status(state(all(noTask, func(s *State) { s.Models = nil }))).Menu[1].Label, "$(sparkle) Use Winnow with My Model…")
}

// What waits for the user comes first, with what mends it.
func TestStatus_menuAttention(t *testing.T) {
	s := state(withServers(protocol.ServerInfo{Name: "a", State: protocol.ServerReady}, protocol.ServerInfo{Name: "b", State: protocol.ServerSignedOut},
		protocol.ServerInfo{Name: "c", State: protocol.ServerWaitingForTrust}, protocol.ServerInfo{Name: "d", State: protocol.ServerWaitingForConsent},
		protocol.ServerInfo{Name: "e", State: protocol.ServerFailed, Error: "exit code 1"}))
	s.Catalog.Faults = []protocol.FaultRow{{FileFault: protocol.FileFault{File: "/w/.vscode/winnow.json", Line: 3, Column: 1, Message: "not JSON"}}}
	menu := Status(s).Menu
	want := []protocol.MenuEntry{
		{Label: "Needs attention"},
		{Label: "$(go-to-file) Open /w/.vscode/winnow.json", Description: "not JSON", Fault: &s.Catalog.Faults[0].FileFault},
		{Label: "$(key) Sign in to b", Description: "signed out", Command: "winnow.signIn", Server: "b"},
		{Label: "$(workspace-untrusted) Trust the workspace, for c", Description: "waits until you trust the workspace", Command: "winnow.manageTrust", Server: "c"},
		{Label: "$(shield) Allow d", Description: "waits for your consent", Command: "winnow.allowServers", Server: "d"},
		{Label: "$(output) Show the log of e", Description: "exit code 1", Command: "winnow.showServerLog", Server: "e"},
		{Label: "Routing"},
	}
	if got := menu[:len(want)]; !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for state, look := range stateLooks {
		if _, mends := remedies[state]; mends != look.attention {
			t.Errorf("a server that is %s: attention %v, and a remedy: %v", state, look.attention, mends)
		}
	}
}

// Every command of the menu is one of the extension's.
func TestStatus_menuCommands(t *testing.T) {
	data, err := os.ReadFile("../../package.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Contributes struct{ Commands []struct{ Command string } }
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		t.Fatal(err)
	}
	declared := map[string]bool{}
	for _, c := range manifest.Contributes.Commands {
		declared[c.Command] = true
	}
	commands := slices.Concat(commandsOf(state(reviewMode)), commandsOf(state(all(noTask, func(s *State) { s.Off = true }))), commandsOf(state(noTask)))
	for _, remedy := range remedies {
		commands = append(commands, remedy.Command)
	}
	for _, command := range commands {
		if !declared[command] {
			t.Errorf("package.json declares no %s", command)
		}
	}
}

// TestStatus_mode: how many tools the mode takes away is said where it is named,
// of all servers in the status bar, also with routing off, and of one in its row.
func TestStatus_mode(t *testing.T) {
	t.Parallel()
	servers := withServers(protocol.ServerInfo{Name: "a", State: protocol.ServerReady, Tools: 9, InScope: 7, OutOfMode: 2},
		protocol.ServerInfo{Name: "b", State: protocol.ServerReady, Tools: 4, OutOfMode: 4})
	r := Status(state(all(reviewMode, servers)))
	has(t, r.Tooltip, "Mode: Review, which takes 6 tools away")
	has(t, r.Accessibility, "mode Review, which takes 6 tools away")
	has(t, Status(state(all(reviewMode, servers, func(s *State) { s.Off = true }))).Tooltip, "mode Review, which takes 6 tools away")
	row := serverRow(&protocol.ServerInfo{Name: "a", State: protocol.ServerReady, Tools: 9, InScope: 7, OutOfMode: 2}, nil)
	has(t, row.Accessibility, "the mode takes 2 tools away")
	has(t, row.Tooltip, "The mode takes 2 tools away.")
}

// TestStatus_held: tools that wait for the user's approval are counted, for eyes
// and ears.
func TestStatus_held(t *testing.T) {
	t.Parallel()
	for want, servers := range map[string][]protocol.ServerInfo{
		"1 tool waits for your approval": {{Name: "a", Held: 1}},
		"5 tools wait for your approval": {{Name: "a", Held: 2}, {Name: "b", Held: 3}},
	} {
		r := Status(state(withServers(servers...)))
		if !strings.Contains(r.Tooltip, want) || !strings.Contains(r.Accessibility, want) {
			t.Errorf("want %q in %q and %q", want, r.Tooltip, r.Accessibility)
		}
	}
	if r := Status(state(withServers(protocol.ServerInfo{Name: "a"}))); strings.Contains(r.Tooltip, "approval") {
		t.Errorf("nothing is held, and %q", r.Tooltip)
	}
}
