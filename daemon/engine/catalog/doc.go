// Package catalog builds catalogues from the known servers and hosts' tools. They are
// immutable, numbered values, one for each source, published by an atomic pointer. A
// [Store] holds the newest ones and the views of them. [HostTools] holds the tools that
// hosts hand over. A [Publisher] turns the state of the servers into the next version and
// notifies of changes.
// It does not run servers (package upstream), does not read files (package
// workspace), and does not choose tools (package router).
package catalog
