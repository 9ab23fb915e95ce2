package daemon_test

import (
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestCatalogList_faults: a mistake in a file is told as long as it is there,
// and the host hears of it though no server changes.
func TestCatalogList_faults(t *testing.T) {
	t.Parallel()
	h := daemontest.Run(t, daemontest.Options{Workspace: t.TempDir()})
	h.Initialize(nil)
	if faults := h.Catalog().Faults; len(faults) != 0 {
		t.Fatalf("without a file: got %+v, want no fault", faults)
	}
	file := winnowFile(h.Options.Workspace)
	daemontest.Write(t, file, "{\n  \"servers\": oops\n}\n")
	h.Until("the fault", func() bool { return len(h.Catalog().Faults) == 1 })
	if fault := h.Catalog().Faults[0]; fault.File != file || fault.Line != 2 || fault.Message == "" {
		t.Errorf("got %+v, want line 2 of %s, and what is wrong there", fault, file)
	}
	told := len(daemontest.Notes[protocol.CatalogDidChangeParams](h, protocol.MethodCatalogDidChange))
	daemontest.Write(t, file, "{}\n")
	h.Until("the end of the fault", func() bool { return len(h.Catalog().Faults) == 0 })
	h.Until("word of it", func() bool {
		return len(daemontest.Notes[protocol.CatalogDidChangeParams](h, protocol.MethodCatalogDidChange)) > told
	})
}
