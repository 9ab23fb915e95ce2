// Package secrets tells by their names which values are credentials: the one
// place for that, for code that shows, logs or keeps what a person has written
// into a configuration.
package secrets
