// Package arguments tells whether the arguments of a call fit the JSON Schema
// of the tool.
//
// It helps a model to correct itself; it guards nothing. A schema that cannot
// be compiled, or refers to anything outside of itself, admits everything: the
// server has the last word on its own arguments. It is the only package that
// imports the JSON Schema library.
package arguments
