// Package clean prepares the data of servers for display and storage. It removes the
// secrets of a server's configuration from errors and logs, masks them in results, and
// removes hidden text. A [Ring] keeps the last output of a server.
//
// It parses no protocol messages (daemon/upstream/wire) and reads no configuration.
// Packages daemon/hiddentext and daemon/secrets define what hidden text is and which
// names are those of secrets.
package clean
