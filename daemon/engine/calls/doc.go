// Package calls answers the calls of models. A [Caller] decides what a call means, runs
// the tool of an MCP server or answers for Winnow's own tools, and cuts long results. A
// [Loader] attaches and searches tools between turns.
//
// The router decides which names mean which tool, and what may run. The host runs its own
// tools.
package calls
