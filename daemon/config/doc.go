// Package config reads the files that define MCP servers and modes: Winnow's own
// winnow.json and other clients' existing files, unchanged.
//
// It works in steps; the result of each is the input of the next:
//
//	Sources(options)         which files, in order of precedence
//	Parse(source, bytes)     one file: entries, modes, inputs, problems
//	Merge(files, options)    one server per name, with policy and what holds it
//	Expand(server, lookup)   variables replaced, shortly before the start
//
// These are pure functions. [Watcher] owns the files on disk: it reads them, follows
// every way in which editors save, keeps the last good content of a broken file, and
// writes [Edit]s. [Consents] stores the files of other clients whose servers the user
// allowed.
//
// Errors are isolated. A broken file keeps its last good content. A broken entry does not
// affect other entries. A broken field does not affect the entry, unless it decides what
// runs or what may be called. Every error becomes a [Problem] with file, line, column and
// a hint. Problems never quote values of a file, because values can be secrets.
//
// The package does not start servers, request inputs, or decide which tool a task gets.
// Package jsonc below edits JSON texts. Only this package imports fsnotify and go-yaml.
package config
