// Package secrets determines by name which values are credentials. All code that shows,
// logs or stores values of a configuration uses it.
package secrets
