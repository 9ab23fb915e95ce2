// Package tasks holds the open tasks. An [Entry] is one task with its place in
// the order of requests ([InOrder]); a [Store] finds them by id or, for
// stateless requests, by their messages, and closes the one used longest ago
// when there are too many. [Judged] is a task as the user is to see it.
//
// What a turn does to a task is package turns' business and, in the end, the
// router's: here values are kept.
package tasks
