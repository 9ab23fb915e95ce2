// Package workspace interprets the user's files. A [Workspace] finds and reads them, asks
// for trust and consent, and applies a [Configuration]: an immutable value with the
// servers to run, the policy of each server's tools, and the modes. [Modes] holds the
// current mode, and [Edits] changes the files.
//
// It runs no server and publishes no catalogue. Package config writes files.
package workspace
