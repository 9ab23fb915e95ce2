// Package team is winnowteam: the gateway of a team, of which any number run side
// by side on one PostgreSQL, behind any balancer. It wires the engine and its
// gateway to what a team has besides: who comes (package identity), what exists for
// them (policy), and what the replicas share (pg). No request rests on another one,
// so any replica answers each.
//
// An operator applies a document, servers and policies, of which there are
// versions; every replica follows the newest. It holds no state of its own that
// another replica has not, and decides nothing that packages policy and engine do
// not.
package team
