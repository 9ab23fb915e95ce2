package learned

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/router"
)

func TestUses(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	dir := filepath.Join(t.TempDir(), "not there yet")
	a, b := router.ToolID{Server: "s", Tool: "a"}, router.ToolID{Server: "s", Tool: "b"}

	u, err := OpenUses(dir, clock)
	if err != nil {
		t.Fatal(err)
	}
	u.Record(a)
	now = now.Add(10 * 24 * time.Hour)
	before := u.Usage()
	for range 2 * maxUsesPerTool {
		u.Record(b)
	}
	if before[b] != 0 {
		t.Error("a map that was handed out has changed")
	}
	if got := u.Usage(); got[a] != 1 || got[b] != maxUsesPerTool {
		t.Errorf("counts %v", got)
	}
	if err := u.Save(); err != nil {
		t.Fatal(err)
	}

	now = now.Add(5 * 24 * time.Hour)
	u, err = OpenUses(dir, clock)
	if err != nil {
		t.Fatal(err)
	}
	if got := u.Usage(); got[a] != 0 || got[b] != maxUsesPerTool {
		t.Errorf("after a restart, and with the old one forgotten: %v", got)
	}
	for range 3 * maxUses {
		u.Record(a)
	}
	if len(u.uses) != maxUses {
		t.Errorf("%d uses are kept", len(u.uses))
	}
}

func TestUses_brokenFileIsBegunAnew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "usage.learned"), []byte(`[{"server":`), 0o600); err != nil {
		t.Fatal(err)
	}
	u, err := OpenUses(dir, time.Now)
	if err == nil {
		t.Error("a broken file was read without a word")
	}
	u.Record(router.ToolID{Server: "s", Tool: "t"})
	if err := u.Save(); err != nil {
		t.Error(err)
	}
	if again, err := OpenUses(dir, time.Now); err != nil || len(again.Usage()) != 1 {
		t.Errorf("after a save: %v, %v", again.Usage(), err)
	}
}

func TestUses_inMemory(t *testing.T) {
	t.Parallel()
	u, err := OpenUses("", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	u.Record(router.ToolID{Server: "s", Tool: "t"})
	if err := u.Save(); err != nil || len(u.Usage()) != 1 {
		t.Errorf("%v, %v", u.Usage(), err)
	}
}
