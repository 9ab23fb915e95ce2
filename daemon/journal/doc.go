// Package journal records what was done through Winnow: one JSON line for each call of a
// tool, and for each decision of a person. The file is append-only. When it is full it is
// renamed, and the oldest files are deleted.
//
// [Journal.Record] never waits for the disk: one goroutine writes lines in batches. If
// entries come faster than the disk writes, some are dropped, and the record states how
// many. With [Options.Strict], outcomes that cannot be written are kept in memory up to a
// bound.
//
// A call that may write has two lines. [Journal.Intend] writes the first before the call,
// so that it survives a crash. Readers get one entry, with the outcome [Unknown] if only
// the first line exists.
//
// The record is in a file that only the user may read. It contains no texts of chats. Of
// arguments it contains a hash, and the text only if the owner sets [Entry.Arguments].
package journal
