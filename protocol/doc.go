// Package protocol declares what crosses the wire between winnowd and its
// hosts: the method table, the params and results, the error codes, the one
// [Settings] struct, and the types of Winnow's own configuration files.
//
// The package holds declarations and no logic. Everything that mirrors it (the
// TypeScript types, contributes.configuration in package.json, the JSON
// schemas, the table of settings in extension/docs) is generated from its source:
//
//	go generate ./protocol
//
// Messages are JSON-RPC 2.0 with Content-Length frames. Params are always one
// object. Durations are integers with their unit in the name.
package protocol
