// Package conversation follows conversations whose requests are stateless: each request
// carries the whole history, and the server has to find which one it continues.
//
// It decides which conversation a request belongs to and whether a turn begins ([Place]),
// what a model's answer leads to ([Exchange]), and what the client's history lacks of it
// ([Internal], [Restore]). [Record] is the form in which all of that outlives a process.
//
// Messages are identified by their digests and the IDs of their calls. Their parts are
// opaque and in the client's format. Tools and tasks are known by name only. The package
// is a pure core: its functions take and return values, and modify none of their
// arguments.
package conversation
