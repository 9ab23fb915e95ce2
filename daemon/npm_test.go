package daemon_test

import (
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
)

// npmHost starts the daemon, as a process over real pipes, on the real
// servers, and waits until all are ready.
func npmHost(t testing.TB, o daemontest.Options, settings map[string]any) *daemontest.Host {
	t.Helper()
	if o.Workspace == "" {
		o.Workspace = t.TempDir()
	}
	all := npmServers(t, o.Workspace)
	save(t, o.Workspace, all, nil)
	h := daemontest.Start(t, winnowd(t), o)
	h.Initialize(settings)
	h.UntilReady(all)
	return h
}
