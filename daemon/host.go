package daemon

import (
	"context"
	"errors"
	"fmt"

	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/daemon/rpc"
	"github.com/winnow-mcp/winnow/protocol"
)

// host is what the daemon may ask of the other side. What the host cannot do
// fails at once: nothing waits for a prompt that nobody sees.
type host struct {
	conn *rpc.Conn
	can  protocol.ClientCapabilities
}

// errDismissed is returned when the user closed a box without an answer.
var errDismissed = errors.New("the user gave no value")

// input asks the user for the value of an `${input:…}` of a server.
func (h *host) input(ctx context.Context, s config.Server, in config.Input) (string, error) {
	if !h.can.Prompt {
		return "", errors.New("the host cannot ask for ${input:" + in.ID + "}; write the value into the environment, or use a host that prompts")
	}
	kind := protocol.InputPromptString
	if in.Pick {
		kind = protocol.InputPickString
	}
	return h.ask(ctx, protocol.InputRequestParams{
		ID: in.ID, Server: s.Name, File: s.Origin.Source.Path, Workspace: s.Origin.Source.Scope == config.Workspace,
		Kind: kind, Description: in.Description,
		Password: in.Password, Default: in.Default, Options: in.Options,
	})
}

// ask asks the user for a value.
func (h *host) ask(ctx context.Context, p protocol.InputRequestParams) (string, error) {
	var result protocol.InputRequestResult
	if err := h.conn.Call(ctx, protocol.MethodInputRequest, p, &result); err != nil {
		return "", err
	}
	if result.Value == nil {
		return "", errDismissed
	}
	return *result.Value, nil
}

// secretGet reads from the host's secret store; "" means that there is none.
func (h *host) secretGet(ctx context.Context, key string) (string, error) {
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

// secretSet writes to the host's secret store; "" deletes. Without a store the
// secret lives as long as the daemon.
func (h *host) secretSet(ctx context.Context, key, value string) error {
	if !h.can.Secrets {
		return nil
	}
	p := protocol.SecretSetParams{Key: key}
	if value != "" {
		p.Value = &value
	}
	return h.conn.Call(ctx, protocol.MethodSecretSet, p, nil)
}

// openExternal opens a page in the user's browser.
func (h *host) openExternal(ctx context.Context, url string) error {
	if !h.can.OpenExternal {
		return errors.New("the host cannot open a browser; sign in from a host that can")
	}
	var result protocol.OpenExternalResult
	if err := h.conn.Call(ctx, protocol.MethodOpenExternal, protocol.OpenExternalParams{URL: url}, &result); err != nil {
		return err
	}
	if !result.Success {
		return errors.New("the browser did not open")
	}
	return nil
}

// externalURL returns the address at which the user's browser reaches one of
// this machine's own.
func (h *host) externalURL(ctx context.Context, url string) (string, error) {
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

// show tells the user something.
func (h *host) show(p protocol.ShowMessageParams) {
	h.conn.Notify(protocol.MethodShowMessage, p)
}

// progress reports on a long operation.
func (h *host) progress(token string, v protocol.ProgressValue) {
	h.conn.Notify(protocol.MethodProgress, protocol.ProgressParams{Token: token, Value: v})
}

// confirmClaim asks the user whether a server's tool may answer a message.
func (h *host) confirmClaim(ctx context.Context, p protocol.ClaimConfirmParams) (bool, error) {
	if !h.can.ClaimConfirm {
		return false, errors.New("the host cannot ask about claims")
	}
	var result protocol.ClaimConfirmResult
	if err := h.conn.Call(ctx, protocol.MethodClaimConfirm, p, &result); err != nil {
		return false, err
	}
	return result.Allow, nil
}
