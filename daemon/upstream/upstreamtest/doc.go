// Package upstreamtest provides MCP servers for tests: a scripted stdio server
// that misbehaves on purpose, in the ways that servers in the wild do by
// accident.
//
// The server is the test binary itself, started again. A package that uses it
// calls [Main] first in its TestMain, and describes a server by a [Script]:
//
//	func TestMain(m *testing.M) {
//		upstreamtest.Main()
//		os.Exit(m.Run())
//	}
//
//	command, args, env := upstreamtest.Program(t, upstreamtest.Script{ExitOn: "initialize"})
//
// It writes its own JSON and uses no MCP library: what it tests must be able
// to go wrong in ways that a library prevents.
package upstreamtest
