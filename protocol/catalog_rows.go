package protocol

// CatalogRowsParams asks for the servers as a list of an editor shows them:
// catalog/rows.
type CatalogRowsParams struct {
	// Source is the host tool list that is shown after the servers that the
	// daemon runs; empty is none.
	Source string `json:"source,omitzero"`
	// HostServers are the names of the host's servers; one that is in no list has
	// not been started yet.
	HostServers []string `json:"hostServers,omitzero"`
	// Filter holds words; a tool is shown that has each of them in its name, its
	// server's or its description, and a server whose name or some tool of which
	// does. Empty shows all.
	Filter string `json:"filter,omitzero"`
	// Sort orders the servers; default `name`.
	Sort CatalogSort `json:"sort,omitzero"`
	// Memory asks for the memory of each server that runs, as its tooltip says it. It
	// differs each time.
	Memory bool `json:"memory,omitzero"`
}

// CatalogSort is how servers, or the tools of one, are ordered.
type CatalogSort string

// The values of [CatalogSort].
const (
	// SortByName: by name.
	SortByName CatalogSort = "name"
	// SortByCost: by what the tools cost, the most first.
	SortByCost CatalogSort = "cost"
)

// CatalogRowsResult holds the servers in their order: those that wait for the
// user first, and the host's last. One that the daemon runs is not shown as the
// host's as well.
type CatalogRowsResult struct {
	// Description sums up the servers, for the title of the list.
	Description string `json:"description"`
	// Badge counts what waits for the user; absent where nothing does.
	Badge   *Badge      `json:"badge,omitzero"`
	Servers []ServerRow `json:"servers"`
	// Tools are those that match the filter, as in their servers' lists; none
	// without a filter.
	Tools []ToolRow `json:"tools,omitzero"`
	// Consents are as in [CatalogListResult], and so are Faults.
	Consents []ConsentQuestion `json:"consents,omitzero"`
	Faults   []FaultRow        `json:"faults,omitzero"`
}

// FaultRow is a mistake in a configuration file. What is not in effect has a row
// above the servers: some of them may be missing for it.
type FaultRow struct {
	FileFault

	Row *Row `json:"row,omitzero"`
}

// Badge is a number on a list: what VS Code's ViewBadge holds.
type Badge struct {
	Value   int    `json:"value"`
	Tooltip string `json:"tooltip"`
}

// ServerRow is a server with its row.
type ServerRow struct {
	ServerInfo

	Row Row `json:"row"`
	// Remedies are what a click on the row offers: what mends it first, its definition
	// and its log; absent where nothing is wrong.
	Remedies []MenuEntry `json:"remedies,omitzero"`
}

// ToolRowsParams asks for the tools of a server as a list of an editor shows
// them: catalog/toolRows.
type ToolRowsParams struct {
	// Source is the list that the server is in.
	Source string `json:"source"`
	Server string `json:"server"`
	// Tool restricts the answer to one tool, whose row has a tooltip; in a list
	// of all there is none, because it is long.
	Tool string `json:"tool,omitzero"`
	// Sort orders the tools; default `name`.
	Sort CatalogSort `json:"sort,omitzero"`
}

// ToolRowsResult holds the tools in their order.
type ToolRowsResult struct {
	Tools []ToolRow `json:"tools"`
}

// ToolRow is a tool with its row.
type ToolRow struct {
	ToolInfo

	// Source is the list that its server is in.
	Source string `json:"source"`
	Row    Row    `json:"row"`
}
