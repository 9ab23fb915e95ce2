// Package terminal is the face of the engine for terminals and scripts: `winnowd
// servers`, `why`, `call` and `doctor`. Each opens an engine, starts the servers that may
// start, waits for them, and writes its result as text or as one JSON value. It asks the
// user only through [Options].Confirm, and stores nothing.
package terminal
