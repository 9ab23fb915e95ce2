package workspace_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestSandbox: one line of a workspace's file puts a server in a sandbox, which
// a change of that line leaves only after a question.
func TestSandbox(t *testing.T) {
	t.Parallel()
	if err := exec.Command("bwrap", "--ro-bind", "/", "/", "--unshare-user", "--unshare-pid", "--proc", "/proc", "true").Run(); err != nil {
		t.Skipf("NOT TESTED: this machine has no sandbox by bubblewrap: %v", err)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	configtest.Write(t, secret, "of mine")
	inside := configtest.Scripted(t, upstreamtest.Script{Tools: []string{configtest.Tool("read", "Reads a file.")}})
	inside.Sandbox = true
	s := configtest.Servers{"s": inside}
	h := enginetest.Begin(t, nil, s, nil)
	read := func() string {
		t.Helper()
		h.UntilReady(s)
		return h.CallText(h.Open("read").Task, "read", fmt.Sprintf(`{"path":%q}`, secret))
	}
	if got := read(); !strings.HasPrefix(got, "failed: ") {
		t.Errorf("in the sandbox: got %q", got)
	}
	inside.Sandbox = false
	s["s"] = inside
	configtest.Save(t, h.Options.Workspace, s, nil)
	q := h.Question("s")
	if len(q.Changes) != 1 || q.Changes[0].Key != "sandbox" {
		t.Errorf("the question shows %+v", q.Changes)
	}
	h.Consent(protocol.ServerConsentParams{File: q.File, Server: "s", Hash: q.Hash, Allow: true})
	// The one in the sandbox may still be ending.
	h.Until("an answer from without the sandbox", func() bool { return read() == "of mine" })
}
