// Package vault keeps the accounts by which users of a team reach servers: whose
// credential a request carries, where it lies, sealed, and how it is renewed by one
// replica for all. Users connect their accounts at pages of its own.
//
// It decides neither who a user is nor what they may call. A credential goes to the
// server that it is for and to the authorization server that has issued it.
package vault
