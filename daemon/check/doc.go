// Package check tells the author of an MCP server what clients and models make
// of its tools: what each costs and what of that no model needs, which names and
// schemas are refused or cut, which tools are mistaken for each other, whether each
// is found for the messages that need it, alone and among a thousand others, and
// what changed since the last release. What it proposes was tried: the change is
// made to a copy, and ranked again.
//
// The package is pure: package source starts the server or reads a capture. The
// rules of clients are in texts.go and schemas.go, each with where it is known
// from; extension/docs/check.md lists them for people.
package check
