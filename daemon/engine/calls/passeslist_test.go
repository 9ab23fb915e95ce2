package calls_test

import (
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine/calls"
)

// TestPasses_revoke: a pair is listed with since when, and is none any more when
// it was taken back; another one stays.
func TestPasses_revoke(t *testing.T) {
	t.Parallel()
	p, err := calls.OpenPasses(t.TempDir(), func() string { return "/w" })
	if err != nil || p.Allow("a", "b", time.UnixMilli(7)) != nil || p.Allow("a", "c", time.UnixMilli(8)) != nil {
		t.Fatal(err)
	}
	all := p.List()
	if len(all) != 2 || all[0].Server != "a" || all[0].To != "b" || all[0].Folder != "/w" || all[0].Since != 7 {
		t.Fatalf("listed are %+v", all)
	}
	if err := p.Revoke(t.Context(), all[0]); err != nil || p.Allowed("a", "b") || !p.Allowed("a", "c") {
		t.Errorf("%v, allowed are %+v", err, p.List())
	}
}
