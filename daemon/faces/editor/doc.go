// Package editor is the face for an editor: JSON-RPC over two pipes, one thin
// handler a request. A handler decodes, calls the engine and encodes; it
// decides nothing. What it calls of the engine is declared in parts.go, so that
// tests run the face over a fake engine. The other way, [wireHost] lets the
// engine ask and tell the user over the wire.
//
// A [Session] keeps the lifecycle of LSP and owns the connection and the
// engine. Other faces are handed to it (Options.Gateway): it knows that there
// is a gateway, and not what it is.
package editor
