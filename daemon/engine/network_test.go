package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestEngine_certificates: extra certificates that cannot be read, or that are
// none, are told of once.
func TestEngine_certificates(t *testing.T) {
	t.Parallel()
	none := filepath.Join(t.TempDir(), "none.pem")
	if err := os.WriteFile(none, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		none:                                   "certificate",
		filepath.Join(t.TempDir(), "gone.pem"): "gone.pem",
	} {
		h := enginetest.Start(t, enginetest.Options{Network: protocol.Network{ExtraCACerts: []string{path}}}, nil)
		told := 0
		for _, m := range h.Messages() {
			if strings.Contains(m.Message, want) {
				told++
			}
		}
		if told != 1 {
			t.Errorf("%s: told %d times, want once: %+v", path, told, h.Messages())
		}
	}
}
