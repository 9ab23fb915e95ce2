// Package relay keeps one MCP client connected while the gateway behind it is replaced.
//
// `winnowd mcp` joins a daemon that runs already, such as VS Code's. If that daemon ends
// or hangs, the client's session continues with the next gateway: the relay repeats the
// handshake and the requests that only read. A tool call under way may have run; it is
// never repeated, and its client is notified.
//
//	client --one message a line--> Relay --the same--> gateway, or the next one
//
// The relay inspects the kind of each message, not its content.
package relay
