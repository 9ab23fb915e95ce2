// Package learned stores what the daemon keeps between runs in the host's storage path:
// recently called tools ([Uses]), tools that models had to load ([Misses]), MCP clients
// that list their tools again ([Clients]), token counts of texts ([TokenCounts]), and
// what routing saved ([Savings]).
//
// It stores no user input and no arguments, and all of it can be lost: an unreadable file
// is replaced. Without a storage path, everything stays in memory. Packages upstream,
// results and embed store servers' lists, results and vectors.
package learned
