// Package calls answers the calls of models. A [Caller] decides what a call
// means, runs the tool of an MCP server, or answers for the tools of Winnow's
// own, and cuts results that are too long. A [Loader] attaches and searches tools between turns.
//
// Which names mean which tool, and what may run, are the router's decisions; a
// tool of a host is the host's to run.
package calls
