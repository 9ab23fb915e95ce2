package toollock_test

import (
	"testing"

	"github.com/winnow-mcp/winnow/daemon/engine/toollock"
	"github.com/winnow-mcp/winnow/daemon/engine/toollock/recordstest"
)

func TestFileRecords(t *testing.T) {
	t.Parallel()
	recordstest.Conform(t, func(t *testing.T) (first, again toollock.Records) {
		t.Helper()
		dir := t.TempDir()
		return toollock.FileRecords(dir), toollock.FileRecords(dir)
	})
}
