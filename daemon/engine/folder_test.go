package engine_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestFolder: of two tools that fit alike the one is attached whose server a folder
// speaks for, once the folder is trusted and while the setting is on.
func TestFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "Chart.yaml"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		trusted  bool
		settings string
		want     string
	}{
		"trusted":   {true, `{"threshold":1,"initialK":1}`, "the_helm_releases"},
		"untrusted": {false, `{"threshold":1,"initialK":1}`, "a_nomad_releases"},
		"off":       {true, `{"threshold":1,"initialK":1,"learn":{"folder":false}}`, "a_nomad_releases"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			e := engine.Open(engine.Options{}, host.None{}, &protocol.InitializeParams{
				HomeDir: t.TempDir(), UserConfigDir: t.TempDir(), Settings: json.RawMessage(test.settings), Trusted: test.trusted,
				WorkspaceFolders: []protocol.WorkspaceFolder{{URI: configtest.FileURI(dir)}},
			})
			defer func() { _ = e.Close(ctx) }()
			_, _ = e.HostTools.Set(&protocol.SetHostToolsParams{Source: "host", Tools: []protocol.HostTool{
				{Server: "nomad", Name: "a_nomad_releases", Description: "List the releases."},
				{Server: "helm", Name: "the_helm_releases", Description: "List the releases."},
				{Server: "mail", Name: "send_mail", Description: "Send an e-mail to somebody."},
				{Server: "maps", Name: "find_route", Description: "Find the way from a place to another."},
				{Server: "photos", Name: "crop_photo", Description: "Crop a photo."},
				{Server: "music", Name: "play_song", Description: "Play a song."},
			}})
			first := func() string {
				work, err := e.Turns.Open(ctx, &protocol.TaskOpenParams{Message: "what releases are there", Source: "host"})
				if err != nil {
					t.Fatal(err)
				}
				a, err := work()
				if err != nil || len(a.Tools) == 0 {
					t.Fatalf("%+v, %v", a, err)
				}
				return a.Tools[0].Name
			}
			got := first()
			for deadline := time.Now().Add(10 * time.Second); got != test.want && time.Now().Before(deadline); got = first() {
				time.Sleep(5 * time.Millisecond) // the folder is read beside the requests
			}
			if test.want == "a_nomad_releases" {
				time.Sleep(100 * time.Millisecond)
				got = first()
			}
			if got != test.want {
				t.Errorf("attached %s, want %s", got, test.want)
			}
		})
	}
}
