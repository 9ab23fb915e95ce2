package wire

import (
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
)

// Era is one of MCP's two incompatible ways to open a connection. For HTTP servers it
// also names the transport that worked.
type Era string

const (
	// EraUnknown: no attempt has succeeded yet.
	EraUnknown Era = ""
	// EraLegacy is the initialize handshake, up to 2025-11-25.
	EraLegacy Era = "legacy"
	// EraModern is the stateless core of 2026-07-28.
	EraModern Era = "modern"
	// EraSSE is the handshake over the HTTP transport of 2024-11-05, the fallback from
	// streamable HTTP.
	EraSSE Era = "sse"
)

// version returns the protocol revision to request in that era.
func (e Era) version() string {
	if e == EraModern {
		return mcp.ProtocolVersion20260728
	}
	return mcp.LATEST_LEGACY_PROTOCOL_VERSION
}

// refusedError means that a server answered the first message of an era with an error. It
// is alive, but may speak another era.
type refusedError struct {
	err error
	// sse is set if the specification requires the old HTTP+SSE transport to be tried
	// after this refusal.
	sse bool
}

func (e *refusedError) Error() string { return e.err.Error() }
func (e *refusedError) Unwrap() error { return e.err }

// trustedSilences is the number of consecutive silent attempts in the known era after
// which the other era is tried.
const trustedSilences = 3

// eraPlan returns the eras that one attempt tries, in order. The next era is tried only
// if the server refuses one. The era that worked the last time comes first. silences
// counts the last attempts without any response. A server may exit on, or ignore, the
// first message of the wrong era, so every other attempt starts with the other era.
//
// For an unknown server the handshake comes first: nearly every server supports it, it
// costs the others nothing, and a message of 2026-07-28 makes some legacy servers exit or
// hang.
func eraPlan(t Transport, known Era, silences int) []Era {
	switch {
	case t == SSE:
		return []Era{EraSSE}
	case known == EraSSE:
		return []Era{EraSSE, EraLegacy, EraModern}
	}
	first, second := EraLegacy, EraModern
	if known == EraModern {
		first, second = EraModern, EraLegacy
	}
	doubted := known == EraUnknown || silences >= trustedSilences
	if doubted && silences%2 == 1 {
		first, second = second, first
	}
	if t == HTTP {
		return []Era{first, second, EraSSE}
	}
	return []Era{first, second}
}

// tryNextEra reports whether an attempt that failed with err continues with the next era
// of its plan.
func tryNextEra(err error, next Era) bool {
	var refused *refusedError
	if !errors.As(err, &refused) {
		return false
	}
	return next != EraSSE || refused.sse
}
