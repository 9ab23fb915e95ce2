// Package program runs programs that models write: Starlark that calls tools by
// name, several at once where the program wants that, and returns what it
// chooses. It is the only package that imports the Starlark library.
//
// A program reaches nothing but the function that it is given for calls: no
// file, no network, no clock. It ends after a number of steps, with its context,
// and before it has made more bytes than it may: the library bounds no memory, so
// each operator, call, index and literal of a program is rewritten into a call
// of a builtin of this package, which measures the operands before it runs.
package program
