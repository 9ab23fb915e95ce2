// Package conversation follows conversations whose requests are stateless: each
// request carries the whole history, and somebody has to know which one it
// continues.
//
// It decides which conversation a request belongs to and whether a turn begins
// ([Place]), what a model's answer leads to ([Exchange]), what the history that
// a client keeps lacks of it ([Internal], [Restore]), and in which form all of
// that outlives a process ([Record]).
//
// Messages are known by their digests and the ids of their calls; their parts
// are opaque, in whatever form the client's side has given them. The package
// knows nothing of tools and tasks beyond their names. It is a pure core: the
// functions take values and return values, and change none that they were
// given.
package conversation
