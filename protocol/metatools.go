package protocol

// The names of Winnow's own tools. No other tool is presented under one of
// them.
const (
	// MetaLoad attaches more tools.
	MetaLoad = "mcp_load"
	// MetaSearch finds tools and attaches none.
	MetaSearch = "mcp_search"
	// MetaCall calls a tool by its name.
	MetaCall = "mcp_call"
	// MetaRead calls a tool by its name that only reads, and of which the user has
	// approved as such: for clients that run what reads, and ask about the rest or
	// refuse it.
	MetaRead = "mcp_read"
	// MetaResult reads parts of a result that was cut.
	MetaResult = "mcp_result"
	// MetaRun runs a program of calls.
	MetaRun = "mcp_run"
	// ProxyTool stands, in a host or a library that has to know each tool, for
	// those that it does not list.
	ProxyTool = "winnow_call"
	// RoutedSuffix is what the name of a routed model has behind that of its model. It
	// stands at the end: VS Code preselects the first by name where nothing was chosen.
	RoutedSuffix = " (Winnow)"
	// GatewayLabel names Winnow's gateway among VS Code's servers.
	GatewayLabel = "Winnow Gateway"
)
