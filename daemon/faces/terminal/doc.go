// Package terminal is the face of the engine for a person at a terminal, and
// for scripts: `winnowd servers`, `why`, `call` and `doctor`. Each opens an
// engine, lets the servers start that may, waits for them and writes what it
// finds to its output, as text or as one JSON value. It asks only through
// [Options].Confirm, and keeps nothing.
package terminal
