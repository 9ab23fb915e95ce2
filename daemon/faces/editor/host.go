package editor

import (
	"context"
	"errors"
	"fmt"

	"github.com/winnow-mcp/winnow/daemon/display"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/daemon/rpc"
	"github.com/winnow-mcp/winnow/protocol"
)

// wireHost is a [host.Host] at the other end of the connection.
type wireHost struct {
	conn *rpc.Conn
	can  protocol.ClientCapabilities
}

var _ host.Host = (*wireHost)(nil)

// Capabilities implements [host.Host].
func (h *wireHost) Capabilities() protocol.ClientCapabilities { return h.can }

// Input implements [host.Host].
func (h *wireHost) Input(ctx context.Context, p protocol.InputRequestParams) (string, error) {
	var result protocol.InputRequestResult
	if err := h.conn.Call(ctx, protocol.MethodInputRequest, p, &result); err != nil {
		return "", err
	}
	if result.Value == nil {
		return "", host.ErrDismissed
	}
	return *result.Value, nil
}

// Secret implements [host.Host].
func (h *wireHost) Secret(ctx context.Context, key string) (string, error) {
	if !h.can.Secrets {
		return "", nil
	}
	var result protocol.SecretGetResult
	if err := h.conn.Call(ctx, protocol.MethodSecretGet, protocol.SecretGetParams{Key: key}, &result); err != nil {
		return "", err
	}
	if result.Value == nil {
		return "", nil
	}
	return *result.Value, nil
}

// SetSecret implements [host.Host]. Without a store it does nothing, and the secret is
// lost with the daemon.
func (h *wireHost) SetSecret(ctx context.Context, key, value string) error {
	if !h.can.Secrets {
		return nil
	}
	p := protocol.SecretSetParams{Key: key}
	if value != "" {
		p.Value = &value
	}
	return h.conn.Call(ctx, protocol.MethodSecretSet, p, nil)
}

// OpenExternal implements [host.Host].
func (h *wireHost) OpenExternal(ctx context.Context, url string) error {
	var result protocol.OpenExternalResult
	if err := h.conn.Call(ctx, protocol.MethodOpenExternal, protocol.OpenExternalParams{URL: url}, &result); err != nil {
		return err
	}
	if !result.Success {
		return errors.New("the browser did not open")
	}
	return nil
}

// ExternalURL implements [host.Host].
func (h *wireHost) ExternalURL(ctx context.Context, url string) (string, error) {
	if !h.can.ExternalURL {
		return url, nil
	}
	var result protocol.ExternalURLResult
	if err := h.conn.Call(ctx, protocol.MethodExternalURL, protocol.ExternalURLParams{URL: url}, &result); err != nil {
		return "", err
	}
	if result.URL == "" {
		return "", fmt.Errorf("the host answered %s without an address", protocol.MethodExternalURL)
	}
	return result.URL, nil
}

// ConfirmClaim implements [host.Host].
func (h *wireHost) ConfirmClaim(ctx context.Context, p protocol.ClaimConfirmParams) (bool, error) {
	p.Question = display.ClaimQuestion(&p)
	var result protocol.ClaimConfirmResult
	if err := h.conn.Call(ctx, protocol.MethodClaimConfirm, p, &result); err != nil {
		return false, err
	}
	return result.Allow, nil
}

// SettingsInForce implements [host.Host].
func (h *wireHost) SettingsInForce(p protocol.Settings) {
	h.conn.Notify(protocol.MethodSettingsInForce, p)
}

// ShowMessage implements [host.Host].
func (h *wireHost) ShowMessage(p protocol.ShowMessageParams) {
	h.conn.Notify(protocol.MethodShowMessage, p)
}

// Progress implements [host.Host].
func (h *wireHost) Progress(p protocol.ProgressParams) { h.conn.Notify(protocol.MethodProgress, p) }

// CatalogDidChange implements [host.Host].
func (h *wireHost) CatalogDidChange(p protocol.CatalogDidChangeParams) {
	h.conn.Notify(protocol.MethodCatalogDidChange, p)
}

// Telemetry implements [host.Host].
func (h *wireHost) Telemetry(p protocol.TelemetryEventParams) {
	h.conn.Notify(protocol.MethodTelemetryEvent, p)
}
