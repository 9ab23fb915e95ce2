// Package team is winnowteam: the gateway of a team. Any number of replicas run on one
// PostgreSQL, behind any load balancer. It connects the engine and its gateway with the
// parts for teams: who sends a request (package identity), what exists for them (policy),
// and what the replicas share (pg). Requests do not depend on each other, so any replica
// can answer each.
//
// An operator applies versions of a document with servers and policies; every replica
// follows the newest. A replica has no state that others lack. Packages policy and engine
// make all decisions.
package team
