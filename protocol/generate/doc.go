// Command generate writes everything that mirrors package protocol:
//
//   - extension/src/protocol/protocol.gen.ts: the wire types and the typed requests
//   - package.json: contributes.configuration, and the settings that only a
//     trusted folder sets
//   - extension/schemas/winnow.schema.json: the schema of Winnow's own files
//   - extension/docs/settings.md: the table of settings, between its markers
//
// Names, types and doc comments are read from the source of package protocol,
// so that what a comment says is what the user reads; the method table and the
// defaults are taken from the package itself. Run it by
//
//	go generate ./protocol
//
// With -check it writes nothing and fails when a file is out of date, which is
// what TestGenerated does. It knows plain structs, string and integer
// constants, embedded structs, pointers, slices, maps and json.RawMessage; all
// else in the wire is an error, so that nothing is mirrored by guess. It knows
// nothing of what the methods mean.
package main
