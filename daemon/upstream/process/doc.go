// Package process runs the child processes of local servers. It starts them with an
// explicit environment, in a process group of their own and optionally in a sandbox, and
// ends them with all their descendants.
//
// Pipes carry plain bytes: the package implements no MCP and reads no configuration.
// Package daemon/upstream decides about restarts.
package process
