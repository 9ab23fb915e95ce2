// Package principal names on whose behalf something is done. Whatever is kept
// for a user is kept under a principal, which is passed explicitly: the zero
// value is nobody, and is not the same as [Local].
package principal

import "fmt"

// Principal is a user, or a program with an account of its own, as the
// authorization server that vouches for it names it. It is comparable.
type Principal struct {
	// Issuer is the authorization server's; empty for [Local].
	Issuer string `json:"issuer,omitzero"`
	// Subject is unique with its issuer.
	Subject string `json:"subject"`
}

// Local is the user of the machine, whom a daemon of their own serves.
var Local = Principal{Subject: "local"}

// Key returns a text for a principal and a name that belongs to it, which no
// other principal or name has.
func (p Principal) Key(name string) string { return fmt.Sprintf("%q %q %q", p.Issuer, p.Subject, name) }
