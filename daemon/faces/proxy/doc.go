// Package proxy is Winnow as the endpoint of a model: a loopback HTTP server
// that speaks the formats of the providers, forwards each request to the real
// one, and sends of the request's MCP tools only those that are attached.
//
// The model asks for more by mcp_load, of which the client never sees anything:
// its call is taken out of the answer, answered here, and the answer of a
// second request goes on where the first one stopped (package wire edits the
// bytes). Which tools are attached is the engine's decision ([Router]).
//
// What is not understood is passed on as it is, and so is every request from
// which nothing is cut, byte for byte. Keys pass through in memory; they are
// neither stored nor logged, and no redirect is followed with one.
package proxy
