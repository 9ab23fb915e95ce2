// Package host is the engine's interface to its user, [Host], which each face implements.
// [None] provides default methods to embed for what the user cannot do.
//
// It holds no state and knows no wire protocol. Package protocol documents each question.
package host

import (
	"context"
	"errors"

	"github.com/winnow-mcp/winnow/protocol"
)

// Host is the engine's user, which answers questions, receives notifications and stores
// secrets. Capabilities says what a host supports; the engine does not request more. The
// methods are safe for concurrent use. Questions block until the user answers or ctx
// ends; the other methods do not wait for the user.
type Host interface {
	// Capabilities returns what the host supports. The result never changes.
	Capabilities() protocol.ClientCapabilities

	// Input asks the user for a value. It returns [ErrDismissed] if there is none.
	Input(ctx context.Context, p protocol.InputRequestParams) (string, error)
	// ConfirmClaim asks whether a server's tool may answer a message.
	ConfirmClaim(ctx context.Context, p protocol.ClaimConfirmParams) (bool, error)

	// Secret reads from the host's secret store; "" means there is none.
	Secret(ctx context.Context, key string) (string, error)
	// SetSecret writes to the host's secret store; "" deletes.
	SetSecret(ctx context.Context, key, value string) error

	// OpenExternal opens a page in the user's browser.
	OpenExternal(ctx context.Context, url string) error
	// ExternalURL returns the address by which the user's browser reaches a local one.
	ExternalURL(ctx context.Context, url string) (string, error)

	// SettingsInForce reports the settings that result from the user, the workspace and
	// the files: after the start, and after each change.
	SettingsInForce(p protocol.Settings)
	// ShowMessage shows the user a message.
	ShowMessage(p protocol.ShowMessageParams)
	// Progress reports the progress of a long operation.
	Progress(p protocol.ProgressParams)
	// CatalogDidChange reports a new version of a catalogue.
	CatalogDidChange(p protocol.CatalogDidChangeParams)
	// Telemetry receives an event, if the user's setting permits it.
	Telemetry(p protocol.TelemetryEventParams)
}

// ErrDismissed is returned if the user closed a question without an answer.
var ErrDismissed = errors.New("the user gave no value")

// errNobody is returned for a question to [None].
var errNobody = errors.New("there is nobody to ask")

// None is a host without a user: it refuses questions and ignores notifications.
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
