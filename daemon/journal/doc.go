// Package journal keeps a record of what was done by way of Winnow: one JSON
// line for each call of a tool, and for each decision of a person. The file is
// only ever appended to; when it is full it is renamed and the oldest go.
//
// [Journal.Record] never waits for the disk and takes no lock: lines are written
// by one goroutine, in batches. When more comes than the disk takes, lines are
// left out, and how many is in the record itself.
//
// A call that may write has two lines: [Journal.Intend] writes the first before
// the call is made, so that a crash in between leaves it; readers are given one
// entry, with the outcome [Unknown] where only the first is there.
//
// The record is the user's own, in a file that only the user may read. It holds no
// texts of chats; of arguments it holds a hash, and the text only when the owner
// puts it into [Entry.Arguments].
package journal
