// Package host is how the engine speaks to its user: one interface, [Host],
// which a face implements over whatever it has. [None] is what a face embeds
// for all that its user cannot do.
//
// It holds no state and knows no wire; what each question means is declared in
// package protocol.
package host

import (
	"context"
	"errors"

	"github.com/winnow-mcp/winnow/protocol"
)

// Host is the engine's user: whom it asks, tells, and lets keep secrets. What a
// host cannot do it says at once, by Capabilities; the engine does not ask for
// it. The methods are safe for concurrent use. Questions may take as long as
// the user does and return when ctx ends; the others do not block for a user.
type Host interface {
	// Capabilities says what the host can do. The answer never changes.
	Capabilities() protocol.ClientCapabilities

	// Input asks the user for a value; [ErrDismissed] when there is none.
	Input(ctx context.Context, p protocol.InputRequestParams) (string, error)
	// ConfirmClaim asks whether a server's tool may answer a message.
	ConfirmClaim(ctx context.Context, p protocol.ClaimConfirmParams) (bool, error)

	// Secret reads from the host's secret store; "" means that there is none.
	Secret(ctx context.Context, key string) (string, error)
	// SetSecret writes to the host's secret store; "" deletes.
	SetSecret(ctx context.Context, key, value string) error

	// OpenExternal opens a page in the user's browser.
	OpenExternal(ctx context.Context, url string) error
	// ExternalURL returns the address at which the user's browser reaches one
	// of this machine's own.
	ExternalURL(ctx context.Context, url string) (string, error)

	// SettingsInForce tells what counts of what the user, the workspace and the
	// files say: after the start, and whenever it is other than before.
	SettingsInForce(p protocol.Settings)
	// ShowMessage tells the user something.
	ShowMessage(p protocol.ShowMessageParams)
	// Progress reports on a long operation.
	Progress(p protocol.ProgressParams)
	// CatalogDidChange tells of a new version of a catalogue.
	CatalogDidChange(p protocol.CatalogDidChangeParams)
	// Telemetry takes an event, while the user's setting asks for them.
	Telemetry(p protocol.TelemetryEventParams)
}

// ErrDismissed is returned when the user closed a question without an answer.
var ErrDismissed = errors.New("the user gave no value")

// errNobody is returned for a question to [None].
var errNobody = errors.New("there is nobody to ask")

// None is a host whose user can do nothing and is told nothing.
type None struct{}

var _ Host = None{}

// Capabilities implements [Host].
func (None) Capabilities() protocol.ClientCapabilities { return protocol.ClientCapabilities{} }

// Input implements [Host].
func (None) Input(context.Context, protocol.InputRequestParams) (string, error) { return "", errNobody }

// ConfirmClaim implements [Host].
func (None) ConfirmClaim(context.Context, protocol.ClaimConfirmParams) (bool, error) {
	return false, errNobody
}

// Secret implements [Host].
func (None) Secret(context.Context, string) (string, error) { return "", nil }

// SetSecret implements [Host].
func (None) SetSecret(context.Context, string, string) error { return nil }

// OpenExternal implements [Host].
func (None) OpenExternal(context.Context, string) error { return errNobody }

// ExternalURL implements [Host].
func (None) ExternalURL(_ context.Context, url string) (string, error) { return url, nil }

// SettingsInForce implements [Host].
func (None) SettingsInForce(protocol.Settings) {}

// ShowMessage implements [Host].
func (None) ShowMessage(protocol.ShowMessageParams) {}

// Progress implements [Host].
func (None) Progress(protocol.ProgressParams) {}

// CatalogDidChange implements [Host].
func (None) CatalogDidChange(protocol.CatalogDidChangeParams) {}

// Telemetry implements [Host].
func (None) Telemetry(protocol.TelemetryEventParams) {}
