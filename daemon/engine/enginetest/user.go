package enginetest

import (
	"context"

	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/protocol"
)

// User is a user that answers by functions. A nil function gives no value or declines.
type User struct {
	host.None

	Can     protocol.ClientCapabilities
	OnInput func(protocol.InputRequestParams) (string, error)
	OnClaim func(protocol.ClaimConfirmParams) bool
	// OnSecret is called with each secret that is stored.
	OnSecret func(key, value string)
}

// Capabilities implements [host.Host].
func (u *User) Capabilities() protocol.ClientCapabilities { return u.Can }

// Input implements [host.Host].
func (u *User) Input(_ context.Context, p protocol.InputRequestParams) (string, error) {
	if u.OnInput == nil {
		return "", host.ErrDismissed
	}
	return u.OnInput(p)
}

// ConfirmClaim implements [host.Host].
func (u *User) ConfirmClaim(_ context.Context, p protocol.ClaimConfirmParams) (bool, error) {
	return u.OnClaim != nil && u.OnClaim(p), nil
}

// SetSecret implements [host.Host].
func (u *User) SetSecret(_ context.Context, key, value string) error {
	if u.OnSecret != nil {
		u.OnSecret(key, value)
	}
	return nil
}
