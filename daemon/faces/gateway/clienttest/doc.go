// Package clienttest tests the gateway with third-party MCP clients: the official SDKs
// for Go and TypeScript, and the MCP Inspector's command line. It is a module of its own,
// so that Winnow does not depend on them:
//
//	cd daemon/faces/gateway/clienttest && go test ./...
package clienttest
