package upstream_test

import (
	"path/filepath"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/daemon/upstream/manifeststest"
)

func TestFolderManifests(t *testing.T) {
	t.Parallel()
	manifeststest.Conform(t, func(t *testing.T) (first, again upstream.Manifests) {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "new")
		return upstream.FolderManifests(dir), upstream.FolderManifests(dir)
	})
}
