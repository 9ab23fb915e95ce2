// Package process runs the child processes of local servers: it starts them with
// an explicit environment, in a group of their own and in a sandbox where that is
// asked for, and ends them with all their descendants.
//
// It knows no MCP and no configuration: pipes carry bytes, and whether a child is
// started again is decided in daemon/upstream.
package process
