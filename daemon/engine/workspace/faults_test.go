package workspace_test

import (
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
)

// TestCatalogList_faults: a mistake in a file is told as long as it is there,
// and the host hears of it though no server changes.
func TestCatalogList_faults(t *testing.T) {
	t.Parallel()
	h := enginetest.Start(t, enginetest.Options{Workspace: t.TempDir()}, nil)
	if faults := h.Catalog().Faults; len(faults) != 0 {
		t.Fatalf("without a file: got %+v, want no fault", faults)
	}
	file := configtest.WinnowFile(h.Options.Workspace)
	configtest.Write(t, file, "{\n  \"servers\": oops\n}\n")
	h.Until("the fault", func() bool {
		faults := h.Catalog().Faults // the file may be read before its text is there, as an empty one
		return len(faults) == 1 && faults[0].Line > 1
	})
	if fault := h.Catalog().Faults[0]; fault.File != file || fault.Line != 2 || fault.Message == "" {
		t.Errorf("got %+v, want line 2 of %s, and what is wrong there", fault, file)
	}
	told := len(h.Changes())
	configtest.Write(t, file, "{}\n")
	h.Until("the end of the fault", func() bool { return len(h.Catalog().Faults) == 0 })
	h.Until("word of it", func() bool { return len(h.Changes()) > told })
}
