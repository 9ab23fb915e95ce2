package protocol

// GatewayInfoResult tells how a client reaches the gateway: gateway/info. The
// gateway begins to listen when it is first asked for.
type GatewayInfoResult struct {
	// URL is the address, for streamable HTTP.
	URL string `json:"url"`
	// Token is sent as `Authorization: Bearer <token>`. Both hold until the
	// daemon ends.
	Token string `json:"token"`
	// Label names the server in clients; no server of the user's has it.
	Label string `json:"label"`
	// Version is another one when the tools are others, for a host that keeps
	// what it knows of a server as long as its version is the same.
	Version string `json:"version"`
	// Snippets are configurations to paste.
	Snippets []GatewaySnippet `json:"snippets"`
}

// GatewaySnippet is the configuration of one client.
type GatewaySnippet struct {
	// Client is the client's name.
	Client string     `json:"client"`
	By     GatewayWay `json:"by"`
	// File is where the text belongs: a path from the workspace folder, from the
	// home folder (~) or of a bare name, or a dialog in words; empty for a command.
	File string `json:"file,omitzero"`
	Text string `json:"text"`
	// Path is that of the file, where there is one.
	Path string `json:"path,omitzero"`
	// Language is the text's, as editors name it.
	Language string `json:"language"`
	// Where says where the text belongs, in a few words. Copied is for whoever
	// has copied it: what to do with it, and with what care.
	Where  string `json:"where"`
	Copied string `json:"copied"`
}

// GatewayWay is how a client reaches the gateway.
type GatewayWay string

// The values of [GatewayWay].
const (
	// ByProcess: the client starts `winnowd mcp`, which joins the daemon of its
	// folder or runs servers of its own. The text holds no secret, and is good
	// as long as the program stays where it is.
	ByProcess GatewayWay = "process"
	// ByAddress: the client sends the token to the address. The text holds both.
	ByAddress GatewayWay = "address"
)
