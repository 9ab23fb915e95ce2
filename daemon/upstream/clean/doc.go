// Package clean makes what a server sends fit to be shown and kept: it removes the
// secrets of its configuration from errors and logs, masks them in results, and
// takes hidden text out of what a person or a model reads. It also has the log of
// a server, a [Ring] of its last output.
//
// It is not the wire: what is JSON, and whether a message is MCP's, has been
// decided before (daemon/upstream/wire), and it reads no configuration. What
// hidden text is, and what the name of a secret looks like, is said by
// daemon/hiddentext and daemon/secrets.
package clean
