// Package relay keeps one MCP client connected while the gateway behind it is replaced.
//
// `winnowd mcp` joins a daemon that runs already, such as VS Code's. If that daemon ends
// or hangs, the client's session continues with the next gateway: the relay repeats the
// handshake and the requests without a response. Only a tool call is never repeated,
// because it may have run: its client gets an error.
//
//	client --one message a line--> Relay --the same--> gateway, or the next one
//
// The relay inspects the kind of each message, not its content.
package relay
