// Package tasks holds the open tasks. An [Entry] is one task with its queue of requests
// ([InOrder]). A [Store] finds entries by ID, and closes the least recently used one when
// there are too many. [Judged] is a task as the user sees it.
//
// Package turns and the router decide what a turn does to a task; this package only
// stores values.
package tasks
