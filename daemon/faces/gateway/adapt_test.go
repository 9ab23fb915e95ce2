package gateway_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/calls"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/daemon/faces/gateway"
	"github.com/winnow-mcp/winnow/daemon/faces/gateway/mcpserver"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// What the face asks of an engine, an engine answers by its parts. The one is
// opened here, and starts no server.
func TestAdapt(t *testing.T) {
	t.Parallel()
	folder := configtest.WorkspaceWith(t, servers{"std": scripted(t, upstreamtest.Script{})}, modes{"none": {AllowedMcpServers: &[]string{}}})
	log := slog.New(slog.DiscardHandler)
	whole := engine.Open(engine.Options{Version: "test", Log: log}, host.Logging{Log: log}, &protocol.InitializeParams{
		WorkspaceFolders: []protocol.WorkspaceFolder{{URI: configtest.FileURI(folder)}}, Trusted: true,
		Settings: []byte(`{"gateway":{"mode":"all"}}`), UserConfigDir: t.TempDir(), HomeDir: t.TempDir(),
	})
	t.Cleanup(func() {
		if err := whole.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("the engine ends with %v", err)
		}
	})
	e := gateway.Adapt(whole)
	if got := e.Settings().Gateway.Mode; got != protocol.GatewayAll {
		t.Errorf("the setting: got %s, want all", got)
	}
	if got := e.Folders(); len(got) != 1 || got[0].Path != folder {
		t.Errorf("the folders: got %+v, want %s", got, folder)
	}
	if !e.Configures("std") || e.Configures("other") {
		t.Errorf("configures std: %t, other: %t", e.Configures("std"), e.Configures("other"))
	}
	if got := e.UnknownServers(); !slices.Equal(got, []string{"std"}) || !e.Starting() {
		t.Errorf("unknown are %q, starting: %t; want std, which will start", got, e.Starting())
	}
	if got := e.Snapshot().Servers; len(got) != 1 || got[0].Name != "std" {
		t.Errorf("the servers: got %+v, want std", got)
	}
	changed := e.Changes()
	if err := errors.Join(e.InScope("std"), whole.Modes.Set("none")); err != nil {
		t.Fatal(err)
	}
	<-changed
	if e.InScope("std") == nil || e.Admits("std") == nil {
		t.Error("the mode does not hold")
	}
	for _, does := range []bool{true, false} {
		e.RecordRefreshes("client", "1", does)
		want := map[bool]router.Refreshes{true: router.RefreshesYes, false: router.RefreshesNo}[does]
		if got, other := e.Refreshes("client", "1"), e.Refreshes("client", "2"); got != want || other != router.RefreshesUnknown {
			t.Errorf("seen to list again: %t: got %v, and %v of another version", does, got, other)
		}
	}
	entry := e.OpenTask(mcpserver.Client{Principal: principal.Local})
	task, _, _ := entry.Snapshot()
	task.ID = entry.ID
	v, err := e.View(entry, &task)
	if err != nil || v.Mode.Slug != "none" {
		t.Fatalf("the view: got %+v, %v, want that of the mode", v, err)
	}
	entry.Replace(v.Serve(task, protocol.GatewayAll, true), nil, v.Mode)
	charts := t.TempDir()
	if err := os.WriteFile(filepath.Join(charts, "Chart.yaml"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	e.WorksIn(t.Context(), entry, []string{charts})
	if v, _, err := whole.Tasks.Current(entry); err != nil || len(v.Families) != 2 || v.Families[0].Name != "helm" {
		t.Errorf("the client's folder speaks for %v, %v; want helm first", v.Families, err)
	}
	if r, err := e.Call(t.Context(), entry, calls.Call{Name: "mcp_search", Arguments: []byte(`{"query":"x"}`)}); err != nil || r.IsError {
		t.Errorf("a call: got %+v, %v", r, err)
	}
	if err := e.CloseTask(entry); err != nil {
		t.Error(err)
	}
	if _, err := whole.Tasks.Look(entry.Principal, entry.ID); err == nil {
		t.Error("the task is not closed")
	}
	if e.Life().Err() != nil {
		t.Error("the engine has ended")
	}
}
