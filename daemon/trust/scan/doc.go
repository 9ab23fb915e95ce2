// Package scan looks for what a person should look at in what a server says of
// a tool: sentences that speak to the model, names of other servers' tools,
// invisible characters, names that look like others, claims that
// contradict a name.
//
// It is a hint and no promise: harmless tools have findings, and who knows the
// rules can word around them. What is found decides nothing. The rules know
// English; they are made to be quiet where tools are described as they should
// be, and miss rather than cry wolf. The package is pure.
package scan
