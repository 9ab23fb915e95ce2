// Package principal identifies on whose behalf something is done. A user's data is stored
// under a principal, which is passed explicitly. The zero value identifies no one, and is
// not [Local].
package principal

import "fmt"

// Principal is a user, or a program with its own account, as identified by its
// authorization server. It is comparable.
type Principal struct {
	// Issuer is the authorization server's; empty for [Local].
	Issuer string `json:"issuer,omitzero"`
	// Subject is unique with its issuer.
	Subject string `json:"subject"`
}

// Local is the user of the machine, served by their own daemon.
var Local = Principal{Subject: "local"}

// Key returns a unique text for a principal and a name that belongs to it.
func (p Principal) Key(name string) string { return fmt.Sprintf("%q %q %q", p.Issuer, p.Subject, name) }
