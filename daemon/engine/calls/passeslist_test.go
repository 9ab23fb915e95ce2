package calls_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine/calls"
)

// TestPasses_revoke: a pair is listed with since when, and is none any more when
// it was taken back; another one stays.
func TestPasses_revoke(t *testing.T) {
	t.Parallel()
	p, err := calls.OpenPasses(t.TempDir(), func() string { return "/w" })
	if err != nil || p.Allow("a", "b", "", time.UnixMilli(7)) != nil || p.Allow("a", "c", "", time.UnixMilli(8)) != nil {
		t.Fatal(err)
	}
	all := p.List()
	if len(all) != 2 || all[0].Server != "a" || all[0].To != "b" || all[0].Folder != "/w" || all[0].Since != 7 {
		t.Fatalf("listed are %+v", all)
	}
	if err := p.Revoke(t.Context(), all[0]); err != nil || p.Allowed("a", "b", "t") || !p.Allowed("a", "c", "t") {
		t.Errorf("%v, allowed are %+v", err, p.List())
	}
}

// TestPasses_task: what may pass in a task may not in another, and is written
// nowhere.
func TestPasses_task(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := func() string { return "/w" }
	p, err := calls.OpenPasses(dir, folder)
	if err != nil || p.Allow("a", "b", "t", time.UnixMilli(7)) != nil {
		t.Fatal(err)
	}
	if !p.Allowed("a", "b", "t") || p.Allowed("a", "b", "u") {
		t.Errorf("allowed are %+v", p.List())
	}
	again, err := calls.OpenPasses(dir, folder)
	if err != nil || len(again.List()) != 0 {
		t.Errorf("kept are %+v, %v", again.List(), err)
	}
	if err := p.Revoke(t.Context(), p.List()[0]); err != nil || p.Allowed("a", "b", "t") {
		t.Errorf("%v, allowed are %+v", err, p.List())
	}
}

// TestPasses_twoAtOnce: of two windows that decide at the same time neither loses
// an answer, and a file that cannot be read is not replaced.
func TestPasses_twoAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := func() string { return "/w" }
	var deciding sync.WaitGroup
	for window := range 2 {
		p, err := calls.OpenPasses(dir, folder)
		if err != nil {
			t.Fatal(err)
		}
		deciding.Go(func() {
			for i := range 20 {
				if err := p.Allow("a", fmt.Sprint(window, i), "", time.UnixMilli(7)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	deciding.Wait()
	p, err := calls.OpenPasses(dir, folder)
	if all := p.List(); err != nil || len(all) != 40 {
		t.Fatalf("%d of 40 are kept, %v", len(all), err)
	}
	file := filepath.Join(dir, "pairs.passes")
	if err := os.WriteFile(file, []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.Allow("a", "b", "", time.UnixMilli(7)); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("got %v", err)
	}
}
