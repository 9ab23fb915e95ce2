// Package proxy is the face for model endpoints: a loopback HTTP server that speaks the
// providers' formats, forwards each request to the real provider, and removes the MCP
// tools that are not attached.
//
// The model requests more tools with mcp_load. The client never sees that: the call is
// removed from the response, answered here, and the response of a second request
// continues where the first one stopped (package wire edits the bytes). The engine
// decides which tools are attached ([Router]).
//
// A request that is not understood, or from which nothing is removed, is forwarded byte
// for byte. API keys are only held in memory: they are neither stored nor logged, and
// redirects are not followed.
package proxy
