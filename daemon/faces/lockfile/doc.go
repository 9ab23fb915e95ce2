// Package lockfile writes and verifies `winnow.lock.json`, the lock on what the servers
// of a workspace offer. It is the face of the engine for CI and commit hooks. It asks no
// user; package daemon/trust/lock compares.
package lockfile
