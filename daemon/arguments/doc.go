// Package arguments validates the arguments of a call by the tool's JSON Schema.
//
// It helps a model to correct itself and is not a protection. A schema that cannot be
// compiled, or has external references, admits everything, because the server validates
// its own arguments. Only this package imports the JSON Schema library.
package arguments
