// Package vault stores the accounts by which users of a team reach servers. It determines
// whose credential a request carries, seals credentials, and renews each by one replica
// for all. Users connect their accounts at its pages.
//
// It does not authenticate users or decide what they may call. A credential is sent only
// to its server and to the authorization server that issued it.
package vault
