// Package program runs programs that models write: Starlark that calls tools by name,
// optionally several at once, and returns a result. It is the only package that imports
// the Starlark library.
//
// A program has access only to the function for calls: no files, no network, no clock. It
// ends after a number of steps, with its context, or before it has allocated more than
// its limit of bytes. The library does not bound memory, so each operator, call, index
// and literal of a program is rewritten into a call of a builtin of this package, which
// measures the operands first.
package program
