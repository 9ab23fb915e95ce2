// Package turns takes tasks from one value to the next: it opens and resumes
// them, takes a turn for each user message, chooses afresh where a host has
// compacted, and closes them. [Turns] asks for the vector of a message and what
// servers say about it before, and lets a server's claim answer it after; an
// [Inspector] looks at tasks and changes nothing.
//
// Which tools a turn attaches is the router's decision.
package turns
