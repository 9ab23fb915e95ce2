// Package oauth signs users in to HTTP servers: MCP's authorization by OAuth 2.1,
// in the user's browser, with a page of this machine's that the browser comes
// back to. Tokens lie in the host's secret store and nowhere else, and go to the
// authorization server that issued them and to no other.
//
// mcp-go finds the authorization server, registers the client and exchanges the
// code; what is here is what it leaves to its user. It opens no connection to an
// MCP server and decides nothing about when to sign in: it is given an HTTP
// client, and asked.
package oauth
