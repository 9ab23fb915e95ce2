// Package editor is the face for an editor: JSON-RPC over two pipes, with one handler per
// request. A handler decodes, calls the engine and encodes; it decides nothing. The
// engine's methods that it calls are declared in parts.go, so that tests can use a fake
// engine. In the other direction, [wireHost] lets the engine ask and notify the user.
//
// A [Session] implements the lifecycle of LSP and owns the connection and the engine.
// Other faces are passed in (Options.Gateway), so that the package does not depend on
// them.
package editor
