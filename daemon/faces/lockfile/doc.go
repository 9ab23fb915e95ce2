// Package lockfile writes `winnow.lock.json`, the lock on what the servers of a
// workspace offer, and verifies it: the face of the engine for CI and commit
// hooks. It asks nobody, and decides nothing about tools; package daemon/trust/lock
// compares.
package lockfile
