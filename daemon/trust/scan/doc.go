// Package scan finds suspicious content in the description of a tool: sentences that
// address the model, names of other servers' tools, invisible characters, lookalike
// names, and claims that contradict a name.
//
// Findings are hints, not proof: harmless tools have some, and attackers who know the
// rules can avoid them. Findings decide nothing. The rules are for English and prefer
// misses to false alarms. The package is pure.
package scan
