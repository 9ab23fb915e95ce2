// Package imports moves servers from other clients' files to Winnow's own, and back. It
// computes values:
//
//	Sources(options)            which files may have servers to move
//	Servers(source, text, own)  those that one has
//	New(request)                what a move would make of both files
//	Undo(record, source, own)   what undoing it makes of them
//
// Text that the user has written stays unchanged: comments, order, blanks.
//
// The package does no I/O. Package history below writes the files and stores the data for
// undoing.
package imports
