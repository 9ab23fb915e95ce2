package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// Snapshot implements [gateway.Servers].
func (f *fakeEngine) Snapshot() *upstream.Snapshot {
	var snapshot upstream.Snapshot
	for _, s := range f.now().servers {
		one := upstream.ServerSnapshot{Name: s.Name, Instructions: s.Says, Hold: s.Hold}
		if one.Status.State = upstream.Ready; s.Down || s.Unknown || s.Hold.Kind != "" {
			one.Status.State = upstream.Configured
		}
		if s.Asleep {
			one.Status.State = upstream.Known
		}
		can := map[string]struct{}{}
		for _, capability := range s.Can {
			can[capability] = struct{}{}
		}
		one.Capabilities, _ = json.Marshal(can) // always encodes
		snapshot.Servers = append(snapshot.Servers, one)
	}
	return &snapshot
}

// InScope implements [gateway.Servers].
func (f *fakeEngine) InScope(server string) error {
	mode := f.now().mode
	if cause := mode.ServerRule(router.Policy{}, server); cause.Kind != "" {
		return failure.New(protocol.KindOutOfScope, "Change the rule.", "the server %q is out of scope", server)
	}
	return nil
}

// Admits implements [gateway.Servers].
func (f *fakeEngine) Admits(server string) error {
	if s, _ := f.server(server); s.Hold.Kind != "" {
		return failure.New(protocol.KindUnavailable, "Let it start first.", "the server %q %s", server, s.Hold.Text)
	}
	return f.InScope(server)
}

// Instructions implements [gateway.Servers].
func (f *fakeEngine) Instructions(_, said string) string { return said }

// ListAll implements [gateway.Servers].
func (f *fakeEngine) ListAll(_ context.Context, server, method, _ string) ([]json.RawMessage, error) {
	s, _ := f.server(server)
	list, has := s.Lists[method]
	if !has {
		return nil, errors.New("the server lists nothing")
	}
	var raw []json.RawMessage
	for _, one := range list {
		var entry struct{ Name string }
		if err := json.Unmarshal([]byte(one), &entry); err != nil {
			return nil, err
		}
		if !slices.Contains(s.Withheld, entry.Name) {
			raw = append(raw, json.RawMessage(one))
		}
	}
	return raw, nil
}

// ResourcesAllowed implements [gateway.Servers].
func (f *fakeEngine) ResourcesAllowed(server string) error {
	if s, _ := f.server(server); slices.Contains(s.Withheld, "resources") {
		return failure.New(protocol.KindOutOfScope, "Approve it.", "the resources of server %q wait for your approval", server).OfServer(server)
	}
	return nil
}

// PromptAllowed implements [gateway.Servers].
func (f *fakeEngine) PromptAllowed(_ context.Context, server, name string) error {
	if s, _ := f.server(server); slices.Contains(s.Withheld, name) {
		return failure.New(protocol.KindOutOfScope, "Approve it.", "the prompt %q waits for your approval", name).OfServer(server)
	}
	return nil
}

// PromptsTold implements [gateway.Servers].
func (f *fakeEngine) PromptsTold(server string) string {
	s, _ := f.server(server)
	told, _ := json.Marshal(s.Withheld) // always encodes
	return string(told)
}

// Request implements [gateway.Servers].
func (f *fakeEngine) Request(ctx context.Context, r upstream.Request) (json.RawMessage, error) {
	f.mu.Lock()
	f.requests = append(f.requests, r)
	f.mu.Unlock()
	return f.request(ctx, r)
}

// asked returns the requests of a method that servers got, `server params` each,
// with the members in alphabetical order.
func (f *fakeEngine) asked(method string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var asked []string
	for _, r := range f.requests {
		if r.Method != method {
			continue
		}
		var params any
		_ = json.Unmarshal(r.Params, &params) // what is none is shown as null
		sorted, _ := json.Marshal(params)     // what was decoded encodes
		asked = append(asked, r.Server+" "+string(sorted))
	}
	return asked
}

// Subscribe implements [gateway.Servers].
func (f *fakeEngine) Subscribe(_ context.Context, server, _ string, session any) error {
	if _, there := f.server(server); !there {
		return &upstream.UnknownServerError{Server: server}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.subscribers = append(f.subscribers, session)
	return nil
}

// Unsubscribe implements [gateway.Servers].
func (f *fakeEngine) Unsubscribe(_ context.Context, _, _ string, session any) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.subscribers = slices.DeleteFunc(f.subscribers, func(one any) bool { return one == session })
	return nil
}

// Listen implements [gateway.Servers].
func (f *fakeEngine) Listen(listener func(upstream.Announcement)) (stop func()) {
	key := new(int)
	f.listeners.Store(key, listener)
	return func() { f.listeners.Delete(key) }
}

// Life implements [gateway.Workspace].
func (f *fakeEngine) Life() context.Context { return f.life }

// Changes implements [gateway.Workspace].
func (f *fakeEngine) Changes() <-chan struct{} { return f.changed.Wait() }

// Settings implements [gateway.Workspace].
func (f *fakeEngine) Settings() *protocol.Settings {
	now := f.now()
	return &now.settings
}

// Folders implements [gateway.Workspace].
func (f *fakeEngine) Folders() []workspace.Folder { return f.now().folders }

// Configures implements [gateway.Workspace].
func (f *fakeEngine) Configures(server string) bool {
	_, there := f.server(server)
	return there
}

// ShowMessage implements [gateway.Workspace].
func (f *fakeEngine) ShowMessage(m protocol.ShowMessageParams) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.shown = append(f.shown, m)
}
