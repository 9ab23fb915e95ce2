// Package catalog makes what is known of servers and of hosts' tools into
// catalogues: immutable, numbered values, one for each source, published by an
// atomic pointer. A [Store] holds the newest ones and what requests see of
// them, [HostTools] the tools that hosts hand over, and a [Publisher] turns the
// state of the servers into the next version and tells of what changed.
//
// It does not run servers (package upstream), does not read files (package
// workspace), and does not choose tools (package router).
package catalog
