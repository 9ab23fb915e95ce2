// Package oauth implements MCP's OAuth 2.1 sign-in to HTTP servers: in the user's
// browser, with a callback page on this machine. Tokens are kept only in the host's
// secret store, and sent only to the authorization server that issued them.
//
// mcp-go discovers the authorization server, registers the client and exchanges the code;
// this package does the rest. It opens no connection to an MCP server and does not decide
// when to sign in.
package oauth
