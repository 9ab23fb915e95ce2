// Package upstreamtest provides MCP servers for tests: a scripted stdio server that
// reproduces the faults of real servers.
//
// The server is the test binary itself, started again. A package that uses it calls
// [Main] first in its TestMain, and describes a server with a [Script]:
//
//	func TestMain(m *testing.M) {
//		upstreamtest.Main()
//		os.Exit(m.Run())
//	}
//
//	command, args, env := upstreamtest.Program(t, upstreamtest.Script{ExitOn: "initialize"})
//
// It writes its own JSON and uses no MCP library, because a library would prevent many of
// the faults.
package upstreamtest
