package protocol

// StatusParams asks what an editor's status bar says: status/show.
type StatusParams struct {
	// Source and HostServers are those of [CatalogRowsParams].
	Source      string   `json:"source,omitzero"`
	HostServers []string `json:"hostServers,omitzero"`
	// Models are the names of those that the user can use Winnow with.
	Models []string `json:"models,omitzero"`
	// Rest are the tokens of the latest task's newest request besides those of MCP's
	// tools; 0 where it is not known.
	Rest int `json:"rest,omitzero"`
	// Restricted: the user does not trust the folder, so that what it defines does
	// not start.
	Restricted bool `json:"restricted,omitzero"`
}

// StatusResult is the item of the status bar, and the menu behind it.
type StatusResult struct {
	// Text has product icons as $(name).
	Text string `json:"text"`
	// Tooltip is Markdown; its links run commands.
	Tooltip string `json:"tooltip"`
	// Accessibility is what a screen reader says.
	Accessibility string `json:"accessibility"`
	// Warning: something waits for the user.
	Warning bool `json:"warning,omitzero"`
	// Menu is what the user can do, what waits for them first.
	Menu []MenuEntry `json:"menu"`
	// Ways say what each way to use Winnow with Copilot's own models saves, by the
	// servers that there are. A daemon always says it.
	Ways *ModelWays `json:"ways,omitzero"`
}

// ModelWays are what ways to Copilot's own models come to, a sentence each.
type ModelWays struct {
	// Gateway is the agent of VS Code with Winnow's gateway as its only MCP server.
	Gateway string `json:"gateway"`
	// Participant is the agent that @winnow is.
	Participant string `json:"participant"`
	// Routed is a routed model beside each, by a setting.
	Routed string `json:"routed"`
}

// MenuEntry is an entry of a menu; with neither a command nor a fault it is a
// heading.
type MenuEntry struct {
	Label       string `json:"label"`
	Description string `json:"description,omitzero"`
	// Command is what it runs, on Server where that is not empty.
	Command string `json:"command,omitzero"`
	Server  string `json:"server,omitzero"`
	// Fault is the place that it opens.
	Fault *FileFault `json:"fault,omitzero"`
}
