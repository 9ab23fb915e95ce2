package editor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/display"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/protocol"
)

// question is what the engine asks or tells its user, and what the host is sent.
type question struct {
	method string
	// ask is the engine's side; it returns what the engine is answered.
	ask func(ctx context.Context, user host.Host) (any, error)
	// params are sent to the host, which answers with answer; nil for a
	// notification.
	params, answer any
	// want is what the engine is answered, or why.
	want any
	err  error
}

// questions has each method of the table that is sent to the host.
func questions() []question {
	input := protocol.InputRequestParams{
		ID: "token", Server: "notes", File: "/w/winnow.json", Workspace: true, Kind: protocol.InputPickString, Description: "Which?",
		Password: true, Default: "a", Options: []string{"a", "b"},
	}
	claim := protocol.ClaimConfirmParams{Task: "task-1", Server: "notes", Tool: "read", Arguments: json.RawMessage(`{"id":7}`)}
	shown := claim
	shown.Question = display.ClaimQuestion(&claim)
	message := protocol.ShowMessageParams{
		Type: protocol.MessageWarning, Message: "no", File: "/w/winnow.json", Line: 1, Column: 2, Server: "notes", Setting: "winnow.maxTools", Next: "Do this.", Command: "winnow.showLog",
	}
	half := 50.0
	inForce := protocol.DefaultSettings()
	inForce.Gateway.InVSCode = true
	progress := protocol.ProgressParams{Token: "t", Value: protocol.ProgressValue{Kind: protocol.ProgressReport, Title: "Starting", Message: "half of it", Percentage: &half}}
	changed := protocol.CatalogDidChangeParams{Version: 3, Source: "host", Servers: []string{"notes"}}
	event := protocol.TelemetryEventParams{Name: protocol.EventTaskStart, Numbers: map[string]float64{"tools": 3}, Labels: map[string]string{"mode": "all"}}
	value := "b"
	ask := func(ctx context.Context, user host.Host) (any, error) { return user.Input(ctx, input) }
	secret := func(ctx context.Context, user host.Host) (any, error) { return user.Secret(ctx, "key") }
	open := func(ctx context.Context, user host.Host) (any, error) {
		return nil, user.OpenExternal(ctx, "https://a.example/")
	}
	set := func(value string) func(context.Context, host.Host) (any, error) {
		return func(ctx context.Context, user host.Host) (any, error) { return nil, user.SetSecret(ctx, "key", value) }
	}
	tell := func(do func(user host.Host)) func(context.Context, host.Host) (any, error) {
		return func(_ context.Context, user host.Host) (any, error) {
			do(user)
			return nil, nil
		}
	}
	return []question{
		{protocol.MethodInputRequest, ask, input, protocol.InputRequestResult{Value: &value}, "b", nil},
		{protocol.MethodInputRequest, ask, input, protocol.InputRequestResult{}, "", host.ErrDismissed},
		{protocol.MethodClaimConfirm, func(ctx context.Context, user host.Host) (any, error) { return user.ConfirmClaim(ctx, claim) },
			shown, protocol.ClaimConfirmResult{Allow: true}, true, nil},
		{protocol.MethodSecretGet, secret, protocol.SecretGetParams{Key: "key"}, protocol.SecretGetResult{Value: &value}, "b", nil},
		{protocol.MethodSecretGet, secret, protocol.SecretGetParams{Key: "key"}, protocol.SecretGetResult{}, "", nil},
		{protocol.MethodSecretSet, set("b"), protocol.SecretSetParams{Key: "key", Value: &value}, none, nil, nil},
		{protocol.MethodSecretSet, set(""), protocol.SecretSetParams{Key: "key"}, none, nil, nil},
		{protocol.MethodOpenExternal, open, protocol.OpenExternalParams{URL: "https://a.example/"}, protocol.OpenExternalResult{Success: true}, nil, nil},
		{protocol.MethodOpenExternal, open, protocol.OpenExternalParams{URL: "https://a.example/"}, protocol.OpenExternalResult{}, nil, errAny},
		{protocol.MethodExternalURL, func(ctx context.Context, user host.Host) (any, error) {
			return user.ExternalURL(ctx, "http://127.0.0.1:1/")
		},
			protocol.ExternalURLParams{URL: "http://127.0.0.1:1/"}, protocol.ExternalURLResult{URL: "https://tunnel.example/"}, "https://tunnel.example/", nil},
		{protocol.MethodExternalURL, func(ctx context.Context, user host.Host) (any, error) {
			return user.ExternalURL(ctx, "http://127.0.0.1:1/")
		},
			protocol.ExternalURLParams{URL: "http://127.0.0.1:1/"}, protocol.ExternalURLResult{}, "", errAny},
		{protocol.MethodSettingsInForce, tell(func(u host.Host) { u.SettingsInForce(inForce) }), inForce, nil, nil, nil},
		{protocol.MethodShowMessage, tell(func(u host.Host) { u.ShowMessage(message) }), message, nil, nil, nil},
		{protocol.MethodProgress, tell(func(u host.Host) { u.Progress(progress) }), progress, nil, nil, nil},
		{protocol.MethodCatalogDidChange, tell(func(u host.Host) { u.CatalogDidChange(changed) }), changed, nil, nil, nil},
		{protocol.MethodTelemetryEvent, tell(func(u host.Host) { u.Telemetry(event) }), event, nil, nil, nil},
	}
}

// errAny stands for any error.
var errAny = errors.New("any error")

// TestHost_haveRows fails when a method that is sent to the host has no row.
func TestHost_haveRows(t *testing.T) {
	t.Parallel()
	for _, m := range protocol.Methods() {
		i := slices.IndexFunc(questions(), func(q question) bool { return q.method == m.Name })
		switch {
		case m.Direction != protocol.ToClient:
		case i < 0:
			t.Errorf("%s has no row: say in host_test.go what asks for it", m.Name)
		default:
			q := questions()[i]
			if got, want := fmt.Sprintf("%T, %T", q.params, q.answer), fmt.Sprintf("%T, %T", m.Params, m.Result); got != want {
				t.Errorf("the row of %s is of %s, want %s", m.Name, got, want)
			}
		}
	}
}

// TestHost: what the engine asks its user reaches the host as it was asked, and
// the host's answer the engine.
func TestHost(t *testing.T) {
	t.Parallel()
	for _, q := range questions() {
		t.Run(q.method, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var sent []daemontest.Message
			f, h := startFake(t, daemontest.Options{
				Capabilities: protocol.ClientCapabilities{Secrets: true, ExternalURL: true},
				Answer: func(m daemontest.Message) (any, *daemontest.Error) {
					mu.Lock()
					defer mu.Unlock()
					sent = append(sent, m)
					return q.answer, nil
				},
			})
			initialize(h)
			got, err := q.ask(t.Context(), f.user)
			if !reflect.DeepEqual(got, q.want) || !errors.Is(err, q.err) && !(errors.Is(q.err, errAny) && err != nil) {
				t.Errorf("the engine was answered %v, %v; want %v, %v", got, err, q.want, q.err)
			}
			if q.answer == nil {
				h.Until(q.method, func() bool { return len(h.Notes()) > 0 })
				sent = h.Notes()
			}
			if len(sent) != 1 || sent[0].Method != q.method || !bytes.Equal(sent[0].Params, codec.Marshal(q.params)) {
				t.Errorf("the host was sent %+v, want %s %s", sent, q.method, codec.Marshal(q.params))
			}
		})
	}
}

// TestHost_refuses: an error of the host is the engine's.
func TestHost_refuses(t *testing.T) {
	t.Parallel()
	for _, q := range questions() {
		if q.answer == nil {
			continue
		}
		f, h := startFake(t, daemontest.Options{Capabilities: protocol.ClientCapabilities{Secrets: true, ExternalURL: true}}) // answers nothing
		initialize(h)
		if got, err := q.ask(t.Context(), f.user); err == nil {
			t.Errorf("%s: got %v, want the host's refusal", q.method, got)
		}
	}
}

// TestHost_cannot: what a host cannot do it is not asked for.
func TestHost_cannot(t *testing.T) {
	t.Parallel()
	f, h := startFake(t, daemontest.Options{Answer: func(m daemontest.Message) (any, *daemontest.Error) {
		t.Errorf("asked for %s", m.Method)
		return none, nil
	}})
	initialize(h)
	if got, err := f.user.Secret(t.Context(), "key"); got != "" || err != nil {
		t.Errorf("a secret: got %q, %v; want none", got, err)
	}
	if err := f.user.SetSecret(t.Context(), "key", "value"); err != nil {
		t.Errorf("a secret to keep: %v", err)
	}
	if got, err := f.user.ExternalURL(t.Context(), "http://127.0.0.1:1/"); got != "http://127.0.0.1:1/" || err != nil {
		t.Errorf("an address: got %q, %v; want the same", got, err)
	}
}

// TestProgress: a call's progress is reported under the host's token, in percent.
func TestProgress(t *testing.T) {
	t.Parallel()
	h, _ := overFake(t)
	call := func(token string) {
		daemontest.Call[protocol.TaskCallResult](h, protocol.MethodTaskCall, protocol.TaskCallParams{Task: "task-1", Name: "read", ProgressToken: token})
	}
	call("") // nobody wants to know
	call("progress-1")
	half := 50.0
	want := codec.Marshal(protocol.ProgressParams{Token: "progress-1", Value: protocol.ProgressValue{Kind: protocol.ProgressReport, Message: "half of it", Percentage: &half}})
	if notes := h.Notes(); len(notes) != 1 || notes[0].Method != protocol.MethodProgress || !bytes.Equal(notes[0].Params, want) {
		t.Errorf("the host was told %s, want %s once", codec.Marshal(notes), want)
	}
}
