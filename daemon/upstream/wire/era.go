package wire

import (
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
)

// Era is one of the two incompatible ways to begin talking MCP, and for HTTP
// servers also the transport that worked.
type Era string

const (
	// EraUnknown: no attempt has succeeded yet.
	EraUnknown Era = ""
	// EraLegacy is the initialize handshake, up to 2025-11-25.
	EraLegacy Era = "legacy"
	// EraModern is the stateless core of 2026-07-28.
	EraModern Era = "modern"
	// EraSSE is the handshake over the HTTP transport of 2024-11-05, reached
	// by falling back from streamable HTTP.
	EraSSE Era = "sse"
)

// version is the protocol revision to ask for in that era.
func (e Era) version() string {
	if e == EraModern {
		return mcp.ProtocolVersion20260728
	}
	return mcp.LATEST_LEGACY_PROTOCOL_VERSION
}

// refusedError says that a server answered the first message of an era with
// an error: it is alive, but may speak another era.
type refusedError struct {
	err error
	// sse is set when the refusal is one that the specification tells to
	// follow up with the old HTTP+SSE transport.
	sse bool
}

func (e *refusedError) Error() string { return e.err.Error() }
func (e *refusedError) Unwrap() error { return e.err }

// trustedSilences is how often in a row a server may give no answer in the era
// that is known to have worked before the other one is worth a try.
const trustedSilences = 3

// eraPlan returns the eras that one attempt to connect goes through, in order;
// it moves on only when a server refuses an era. The era that worked the last
// time comes first. silences counts the last attempts that ended without any
// answer: the server may exit on, or ignore, the first message of the wrong
// era, so every other attempt begins with the other one.
//
// The handshake comes first for a server never seen before. Nearly every
// server speaks it, those that speak both eras lose nothing by it, and a
// message of 2026-07-28 makes some legacy servers exit or hang.
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

// tryNextEra reports whether an attempt that failed with err should go on with
// the next era of its plan.
func tryNextEra(err error, next Era) bool {
	var refused *refusedError
	if !errors.As(err, &refused) {
		return false
	}
	return next != EraSSE || refused.sse
}
