// Package config reads the files that define MCP servers and modes: Winnow's
// own winnow.json and, unchanged, the files that other clients already keep.
//
// It works in steps, each a value that the next one takes:
//
//	Sources(options)         which files, in order of precedence
//	Parse(source, bytes)     one file: entries, modes, inputs, problems
//	Merge(files, options)    one server per name, with policy and what holds it
//	Expand(server, lookup)   variables replaced, shortly before the start
//
// These are pure functions. Around them, [Watcher] owns the files on disk: it
// reads them, follows every way editors save, keeps the last good content of a
// file that broke, and writes [Edit]s. [Consents] remembers which files of
// other clients the user let Winnow run servers from.
//
// One bad thing never takes a good one with it: a broken file keeps its last
// good content, a broken entry leaves the other entries alone, a broken field
// leaves the entry alone unless it decides what runs or what may be called.
// Everything wrong becomes a [Problem] with file, line, column and a hint.
// Problems never quote a value of a file, because values can be secrets.
//
// The package does not start servers, ask for inputs, or decide which tool a
// task gets. Of JSON texts the package jsonc below knows how to keep what an edit
// does not concern. This one alone imports fsnotify and go-yaml.
package config
