// Package check reports to the author of an MCP server how clients and models treat its
// tools: what each costs and what of that is unnecessary, which names and schemas are
// refused or cut, which tools are confused, whether each is found for the messages that
// need it, alone and among a thousand others, and what changed since the last release. It
// tests each proposal by ranking a changed copy.
//
// The package is pure; package source starts the server or reads a capture. The rules of
// clients are in texts.go and schemas.go, each with its source. extension/docs/check.md
// lists them for users.
package check
