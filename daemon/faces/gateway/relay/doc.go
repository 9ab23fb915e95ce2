// Package relay keeps one MCP client connected while the gateway behind it
// comes and goes.
//
// `winnowd mcp` joins the daemon that runs already, such as VS Code's. Should
// that daemon end or hang, the client's session goes on with the next gateway:
// the relay shakes hands again in the client's name, and repeats what only
// reads. A call of a tool that was under way may have run; it is never
// repeated, and its client is notified.
//
//	client --one message a line--> Relay --the same--> gateway, or the next one
//
// The relay looks at what each message is, not at what it says.
package relay
