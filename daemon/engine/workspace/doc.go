// Package workspace knows what the user's files say. A [Workspace] finds and
// reads them, asks for trust and consent, and puts a [Configuration] into
// force: an immutable value with the servers to run, the policy of each
// server's tools, and the modes. [Modes] knows the current mode, [Edits]
// changes the files.
//
// It runs no server and publishes no catalogue; how files are written is
// package config's business.
package workspace
