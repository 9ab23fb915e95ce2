// Package arch holds tests only: they walk the imports of the checkout and fail
// on an arrow that the architecture forbids, with the reason.
//
// Arrows point one way: protocol and ranker import neither, router knows both,
// daemon knows all, and the extension knows what is generated from protocol.
// The rules are in rules_test.go, one line each, every arrow inside daemon/ in
// arrows_test.go, and every arrow inside extension/src in extension_test.go.
// The tests know nothing of what the rooms do, and test files may import what
// they like.
package arch
